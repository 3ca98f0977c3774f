// SPDX-License-Identifier: Apache-2.0
// The page of a capture.
"use strict";

var themed = []; // what draws colours itself

function perSecond(name) {
	return function (run) { return perMs(run, name).map(function (x) { return x * 8000; }); };
}

// How many ports were paused on average while a point lasts.
function pausedPorts(k) {
	return function (run) {
		var t = list(run.series.t_us), v = list(run.series["paused" + k]);
		return v.map(function (x, i) {
			var width = t[i] - (i ? t[i - 1] : run.series.start_us || 0);
			return width > 0 ? x / 1000 / width : 0;
		});
	};
}

var capturePanels = [
	{title: "Goodput", unit: rate, lines: function (runs) {
		var out = [["new payload", perSecond("payload_bytes"), 0], ["on the wire", perSecond("wire_bytes"), 5]];
		if (list(runs[0].series.model_bps).some(isNumber)) out.push(["DCQCN model", column("model_bps"), 1]); // of one QP alone
		return out;
	}, band: ["payload_low_bps", "payload_high_bps"]},
	{title: "CE marks per ms", unit: big, fill: true, lines: [["marks", function (r) { return perMs(r, "ce"); }]]},
	{title: "CNPs per ms", unit: big, fill: true, lines: [["CNPs", function (r) { return perMs(r, "cnps"); }]]},
	{title: "NAKs and packets sent again per ms", unit: big, optional: true,
		lines: [["NAKs", function (r) { return perMs(r, "naks"); }, 1], ["sent again", function (r) { return perMs(r, "again"); }, 3]]},
	{title: "Ports paused, by priority", unit: count, optional: true, step: true, lines: function (runs) {
		return [0, 1, 2, 3, 4, 5, 6, 7].filter(function (k) { return runs[0].series["paused" + k]; }).map(function (k) {
			return ["priority " + k, pausedPorts(k), k];
		});
	}},
	{title: "From packet to ACK", unit: us, optional: true, lines: [["mean", column("rtt_us"), 0], ["max", column("rtt_max_us"), 1]]},
	{title: "One-way latency", unit: us, optional: true, lines: [["mean", column("latency_us"), 0], ["max", column("latency_max_us"), 1]]},
];

function showCaptureLoop(c) {
	c.label = c.title;
	c.marks = list(at(c, "recoveries.rows")).slice(0, 60).map(function (r) {
		return [isNumber(r[9]) ? r[9] : r[10], r[10], r[4] === "timeout" ? "--bad" : "--c3"];
	});
	if (!c.series || list(c.series.t_us).length < 2)
		return section("loop", "Control loop", null, node("p", {class: "empty"}, "Too short for a time line."));
	return loopSection([c], capturePanels, {
		lead: "Switches mark, receivers send CNPs, senders slow down; where that is too late, PFC pauses. All on one time axis; recoveries from loss are marked on it. From packet to ACK: where the capture stands; at a receiver that is what its NIC takes.",
		whole: "Whole capture",
		reduced: function () {
			return "A point stands for " + c.series.step + " of " + count(c.series.rows) + " intervals of " + us(c.series.width_us) +
				": counts are added up, packets to ACKs show their maximum, the payload its lowest, mean and highest rate.";
		},
	});
}

function captureTiles(c) {
	var t = c.totals || {}, paused = list(t.paused_us).reduce(function (s, x) { return s + (isNumber(x) ? x : 0); }, 0), net = at(c, "tails.net_fct") || {}, rtt = at(c, "tails.rtt") || {};
	var tiles = [
		[bytes(t.payload_bytes), "payload in " + plural(t.data_packets, "packet"), true],
		[rate(c.span_us > 0 ? t.payload_bytes * 8e6 / c.span_us : NaN), "mean of payload over the capture", c.span_us > 0],
		[count(t.flows), "flows (directions of QPs)", true],
		[count(t.messages), "messages ended", true],
		[us(net.p && net.p[1 + 1]), "99 % of net FCTs are below", net.n > 0],
		[us(rtt.p && rtt.p[1 + 1]), "from packet to ACK, 99 % are below", rtt.n > 0],
		[percent(t.data_packets ? t.ce_packets / t.data_packets : NaN), "of data packets marked CE", t.data_packets > 0],
		[count(t.cnps), "CNPs" + (t.cnps_without_ce ? ", " + count(t.cnps_without_ce) + " without CE" : ""), true],
		[us(paused), "paused, all ports and priorities", t.xoff_frames + t.pause_frames > 0],
		[count(t.xoff_frames), "XOFF frames", t.xoff_frames > 0],
		[count(t.naks + t.rnr_naks), "NAKs" + (t.rnr_naks ? ", " + count(t.rnr_naks) + " of them RNR" : ""), t.naks + t.rnr_naks > 0],
		[count(t.retransmitted_packets), "packets sent again", true],
		[count(t.missing_psns), "PSNs missing" + (t.unfilled_psns ? ", " + count(t.unfilled_psns) + " for good" : ""), t.missing_psns > 0],
		[count(t.reordered_packets), "packets out of order", t.reordered_packets > 0],
		[t.icrc_checked ? count(t.icrc_bad) : "not checkable", t.icrc_checked ? "bad ICRC of " + count(t.icrc_checked) + " checked" : "ICRC: packets are cut", true],
	];
	return node("div", {class: "tiles"}, tiles.filter(function (x) { return x[2]; }).map(function (x) {
		return node("div", {class: "tile"}, [node("b", {}, x[0]), node("span", {}, x[1])]);
	}));
}

function captureVerdict(c) {
	var all = list(c.findings), roots = all.filter(function (f) { return f.caused_by == null; });
	var errors = all.filter(function (f) { return f.severity === "error"; }).length, lost = 0, kind, words;
	list(at(c, "interfaces.rows")).forEach(function (r) { lost += (r[11] || 0) + (r[12] || 0) + (r[13] || 0); });
	if (!all.length) { kind = "good"; words = c.findings ? "Nothing is found to be wrong" : ""; }
	else {
		kind = errors ? "bad" : all.some(function (f) { return f.severity === "warning"; }) ? "warn" : "good";
		words = plural(roots.length, "finding") + (all.length > roots.length ? ", and " + plural(all.length - roots.length, "effect") + " of " + (roots.length === 1 ? "it" : "these") : "") +
			": " + roots.slice(0, 4).map(function (f) { return text(f.title || f.name); }).join("; ");
	}
	if (lost) { kind = kind === "good" ? "warn" : kind; words += (words ? ". " : "") + "The capture itself lost " + plural(lost, "packet"); }
	if (c.stopped) { kind = kind === "good" ? "warn" : kind; words = "Stopped before the end" + (words ? ". " + words : ""); }
	return !words ? null : node("div", {class: "verdict " + kind, id: "verdict"}, words + ".");
}

function captureTails(c) {
	var names = [["net FCT", "net_fct"], ["packet to ACK", "rtt"], ["one-way latency", "latency"], ["CE to CNP", "ce_to_cnp"], ["CNP to rate cut", "cnp_to_cut"]];
	var weak = [0.5, 0.9, 0.99, 0.999].map(function (p) { return 10 / (1 - p); }), starred = false;
	var found = names.map(function (n) { return [n[0], at(c, "tails." + n[1]) || {n: 0}]; }).filter(function (n) { return n[1].n > 0; });
	if (!found.length) return null;
	var rows = found.map(function (n) {
		var d = n[1];
		return [n[0], us(d.min), us(d.mean)].concat(list(d.p).map(function (v, i) {
			var w = d.n < weak[i];
			starred = starred || w;
			return node("span", {class: w ? "weak" : null}, us(v));
		})).concat([us(d.max), count(d.n)]);
	});
	return section("tails", "Distributions and their tails", "How large a share takes at least so long, on a log scale, so that the slowest one in a thousand is as visible as the median (dotted). Dashed: fewer than ten samples.", [
		table([["", true], ["min"], ["mean"], ["p50"], ["p90"], ["p99"], ["p99.9"], ["max"], ["samples"]], rows),
		starred ? node("p", {class: "soft small"}, "* weak: fewer than 10/(1\u2212p) samples") : null,
		node("div", {class: "grid2", style: "margin-top:18px"}, found.map(function (n, i) {
			return tailChart(n[0], [{label: n[0], n: n[1].n, tail: list(n[1].tail), colour: colour(i)}], us);
		}))]);
}

function captureHead(c) {
	var files = list(c.files);
	document.title = text(c.title) + " \u2013 squall";
	append(document.getElementById("title"), [node("h1", {}, text(c.title)), node("div", {class: "soft"}, [
		c.first ? text(c.first) : "no frames", us(c.span_us) + " long", plural(at(c, "totals.frames"), "frame"), plural(at(c, "totals.hosts"), "host"),
		files.length ? files.slice(0, 3).map(function (f) { return text(f[1]); }).filter(function (f, i, all) { return all.indexOf(f) === i; }).join(", ") : "live"].join(" \u00b7 "))]);
}

function capturePage(c) {
	var main = document.getElementById("page"), parts;
	captureHead(c);
	// what follows the time axis is made before the axis
	parts = [captureVerdict, captureTiles, showFindings, showCaptureLoop, showLanes, showRates, showRecoveries, captureTails, showFlows, showMatrix, showSlowest, showInterfaces].map(function (show) {
		return guarded(function () { return show(c); });
	});
	document.getElementById("title").appendChild(contents(parts));
	put(main, parts);
}
