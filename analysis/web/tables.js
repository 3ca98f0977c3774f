// SPDX-License-Identifier: Apache-2.0
// The verdict, key figures, collectives, events and the configuration.
"use strict";

// name, path in the summary, unit, lower is better (1), higher (-1), neither (0)
var figures = [
	["median FCT", "fct_us.p50", us, 1],
	["99 % of FCTs are below", "fct_us.p99", us, 1],
	["longest FCT", "fct_us.max", us, 1],
	["99 % slowdown", "slowdown.p99", ratio, 1],
	["99 % packet latency", "latency_us.p99", us, 1],
	["goodput", "goodput_bps", rate, -1],
	["fairness (Jain)", "fairness_jain", count, -1],
	["bus bandwidth, Gbit/s", "collective.busbw_gbps", count, -1],
	["packets marked CE", "ecn.marked_fraction", percent, 0],
	["CNPs received", "cnp.received", count, 0],
	["rate cuts", "rate.cuts", count, 0],
	["deepest queue", "queue_bytes.max", bytes, 1],
	["most shared buffer", "buffer_bytes.max_shared", bytes, 1],
	["time paused, all ports", "pfc.paused_us", us, 1],
	["pause frames", "pfc.pause_frames", count, 1],
	["packets dropped", "drops.total", count, 1],
	["packets sent again", "retransmits.packets", count, 1],
	["messages completed", "messages.completed", count, -1],
	["simulated time", "sim.t_end_us", us, 0],
	["packet-hops", "sim.packet_hops", big, 0],
];

// "a waits for b, b for c, c for a", from [time, [node, peer, priority] ...]
function cycleOf(d) {
	return d.slice(1).map(function (h, i) { return h[0] + (i ? " for " : " waits for ") + h[1]; }).join(", ");
}

function verdictOf(run) {
	var s = run.summary || {}, expect = list(s.expect), failed = expect.filter(function (x) { return x.holds === false; });
	var tainted = list(s.tainted), dead = list(run.deadlock), words, kind;
	if (failed.length) { kind = "bad"; words = failed.length + " of " + plural(expect.length, "expectation") + " do not hold"; }
	else if (expect.some(function (x) { return x.holds == null; })) { kind = "warn"; words = "Expectations are not judged"; }
	else if (expect.length) { kind = "good"; words = expect.length === 1 ? "The expectation holds" : "All " + expect.length + " expectations hold"; }
	else { kind = "good"; words = (tainted.length ? "T" : "Complete; t") + "he scenario states no expectations"; }
	if (tainted.length) { kind = kind === "bad" ? "bad" : "warn"; words += "; the figures are tainted: " + tainted.map(text).join(", "); }
	if (tainted.indexOf("interrupted") >= 0) words = "Interrupted before its end. " + words;
	if (dead.length) {
		kind = failed.length || !expect.length ? "bad" : "warn";
		words = (dead.length === 1 ? "Deadlock" : count(dead.length) + " deadlocks, the first") + " seen at " + us(dead[0][0]) + ": " + cycleOf(dead[0]) + ". " + words;
	}
	return {kind: kind, words: words, expect: expect};
}

function showVerdict(run) {
	var v = verdictOf(run);
	return node("div", {class: "verdict " + v.kind, id: "verdict"}, [v.words + ".", v.expect.length ? node("ul", {}, v.expect.map(function (x) {
		return node("li", {}, [node("span", {class: "mark " + (x.holds == null ? "soft" : x.holds ? "good-ink" : "bad-ink")}, x.holds == null ? "not judged" : x.holds ? "holds" : "FAILS"),
			node("code", {}, text(x.text)), node("span", {class: "soft"}, x.value == null ? "null in this run" : "is " + digits(Number(x.value)))]);
	})) : null]);
}

function showTiles(run) {
	return node("div", {class: "tiles"}, figures.filter(function (f) {
		var v = at(run.summary, f[1]);
		return isNumber(v) && (v !== 0 || ["drops.total", "pfc.paused_us", "ecn.marked_fraction"].indexOf(f[1]) >= 0);
	}).map(function (f) {
		return node("div", {class: "tile"}, [node("b", {}, f[2](at(run.summary, f[1]))), node("span", {}, f[0])]);
	}));
}

// Less than ALIKE counts as neither better nor worse, less than TINY is not worth a number.
var ALIKE = 0.01, TINY = 1e-4;

function changeOf(v, base, lower_is_better) {
	var c = base ? v / base - 1 : Infinity, size = Math.abs(c);
	return {
		kind: !lower_is_better || size < ALIKE ? "soft" : (v - base) * lower_is_better < 0 ? "delta-good" : "delta-bad",
		words: !base ? "was 0" : size < TINY ? "\u00b10 %" : c >= 10 ? "\u00d7 " + digits(parseFloat((c + 1).toPrecision(3)))
			: (c > 0 ? "+" : "\u2212") + digits(parseFloat((size * 100).toPrecision(3))) + " %",
	};
}

function showFigures(runs) {
	var columns = [["", true]].concat(runs.map(function (r) { return [r.label]; }));
	var rows = figures.filter(function (f) { return runs.some(function (r) { return isNumber(at(r.summary, f[1])); }); }).map(function (f) {
		var base = at(runs[0].summary, f[1]);
		return [f[0]].concat(runs.map(function (r, i) {
			var v = at(r.summary, f[1]), words = f[2](v), change;
			if (!i || !isNumber(v) || !isNumber(base) || v === base) return words;
			change = changeOf(v, base, f[3]);
			return node("span", {}, [words + " ", node("span", {class: change.kind}, "(" + change.words + ")")]);
		}));
	});
	rows.unshift(["verdict"].concat(runs.map(function (r) {
		var v = verdictOf(r);
		return node("td", {class: "wrap", style: "text-align:right"}, node("span", {class: v.kind + "-ink"}, v.words));
	})));
	return section("figures", "Side by side", "Changes are against the first run; green is better, red is worse, each by 1 % or more.", table(columns, rows));
}

function showIterations(run) {
	var rows = list(at(run, "iterations.rows")), all = at(run, "iterations.all");
	if (!rows.length) return null;
	var kinds = {}, place = node("div", {});
	rows.forEach(function (r) { var k = r[0] + "/" + r[1]; (kinds[k] = kinds[k] || []).push(r); });
	Object.keys(kinds).slice(0, 12).forEach(function (k) {
		var of = kinds[k], ended = of.filter(function (r) { return isNumber(r[5]); });
		var chart = node("div", {});
		var bus = ended.some(function (r) { return isNumber(r[7]); });
		var values = ended.map(function (r) { return bus ? r[7] : r[5]; });
		var most = Math.max.apply(null, values.concat([1e-9]));
		drawn(chart, function (width) {
			var h = 90, n = Math.max(1, values.length), w = Math.max(1, Math.min(40, (width - 4) / n));
			var svg = shape("svg", {width: width, height: h, role: "img", "aria-label": "each iteration"});
			values.forEach(function (v, i) {
				var bar = shape("rect", {x: 2 + i * w, y: h - v / most * (h - 4), width: Math.max(0.7, w - (w > 4 ? 2 : 0)), height: v / most * (h - 4), style: "fill:var(--c0)"});
				svg.appendChild(withTip(bar, "iteration " + ended[i][2] + ": " + us(ended[i][5]) + (bus ? ", busbw " + digits(ended[i][7]) + " Gbit/s" : "") + "\nlast to end: " + ended[i][8]));
			});
			chart.appendChild(svg);
		});
		var sum = ended.reduce(function (s, r) { return s + r[5]; }, 0);
		place.appendChild(node("div", {style: "margin-bottom:14px"}, [
			node("h3", {}, "workload[" + of[0][0] + "]" + (of[0][1] ? " part " + of[0][1] : "") + ": " + text(of[0][3]) + (isNumber(of[0][9]) ? " of " + bytes(of[0][9]) : "")),
			node("p", {class: "small soft"}, plural(ended.length, "iteration") + ", mean " + us(ended.length ? sum / ended.length : NaN) +
				(bus ? ", bus bandwidth " + digits(values.reduce(function (a, b) { return a + b; }, 0) / values.length) + " Gbit/s on average (bars: each iteration, up to " + digits(most) + ")" : " (bars: time of each)") +
				(of.length > ended.length ? "; " + (of.length - ended.length) + " did not end" : "")),
			chart]));
	});
	return section("collectives", "Collectives and iterations", "From the first rank that begins to the last that ends; algorithm and bus bandwidth as nccl-tests defines them, in Gbit/s where it prints GB/s (divide by 8).", [place,
		all > rows.length ? node("p", {class: "soft small"}, "The first " + rows.length + " of " + count(all) + "; collectives.csv holds all.") : null]);
}

function showEvents(run) {
	var rows = [];
	list(run.fault).forEach(function (f) {
		rows.push([f[1], "fault", (text(f[4]) || "faults[" + f[0] + "]") + (isNumber(f[1]) ? ", until " + us(f[2]) + ", " + plural(f[3], "packet") : ": touched nothing")]);
	});
	list(run.watchdog).forEach(function (w) {
		rows.push([w[0], "watchdog", w[1] + " to " + w[2] + " priority " + w[3] + (w[4] === 0 ? ": storm seen, paused since " + us(w[5]) : ": restored, " + plural(w[6], "packet") + " dropped")]);
	});
	list(run.deadlock).forEach(function (d) {
		rows.push([d[0], "deadlock", "each paused queue waits for the next: " + cycleOf(d)]);
	});
	list(run.violation).forEach(function (v) {
		rows.push([v[0], "headroom", v[1] + " from " + v[2] + " priority " + v[3] + ": a lossless packet was lost, " + bytes(v[4]) + " missing"]);
	});
	if (!rows.length) return null;
	rows.sort(function (a, b) { return (isNumber(a[0]) ? a[0] : Infinity) - (isNumber(b[0]) ? b[0] : Infinity); });
	return section("events", "Events", "Faults of the scenario, and what the fabric did in answer. They are marked on the time axis above.",
		table([["at", false], ["what", true], ["where", true]], rows.slice(0, 60).map(function (r) {
			return [us(r[0]), r[1], node("td", {class: "l wrap"}, r[2])];
		})));
}

function configRow(cells, differs) {
	return node("tr", {class: differs ? "differs" : null}, cells.map(function (c, i) {
		return node("td", {class: i === cells.length - 1 ? "l wrap" : "l"}, i < cells.length - 1 ? node("code", {}, text(c)) : text(c));
	}));
}

function showConfig(run) {
	var rows = list(run.config), some = rows.filter(function (r) { return r[4]; }), place = node("div", {});
	function draw(which) {
		clear(place);
		place.appendChild(table([["key", true], ["value", true], ["default", true], ["where the default comes from", true]],
			(which ? rows : some).map(function (r) { return configRow([r[0], r[1], r[2] == null ? "required" : r[2], r[3]], r[4]); })));
	}
	draw(0);
	return section("config", "Configuration", "What differs from the defaults stands out. scenario.yaml beside this page runs the same again.", [
		node("div", {class: "bar"}, choice(["What differs (" + some.length + ")", "All " + rows.length + " keys"], 0, draw)), place]);
}

function showConfigDifferences(runs) {
	var keys = [], seen = {}, values = runs.map(function (r) {
		var m = {};
		list(r.config).forEach(function (c) { m[c[0]] = text(c[1]); if (!seen[c[0]]) { seen[c[0]] = true; keys.push(c[0]); } });
		return m;
	});
	var rows = keys.filter(function (k) {
		return k !== "name" && values.some(function (m) { return m[k] !== values[0][k]; });
	}).map(function (k) {
		return node("tr", {}, [node("td", {class: "l"}, node("code", {}, k))].concat(values.map(function (m) {
			return node("td", {class: "l"}, node("code", {}, m[k] == null ? NONE : m[k]));
		})));
	});
	return section("config-diff", "How their configurations differ", null, rows.length
		? table([["key", true]].concat(runs.map(function (r) { return [r.label, true]; })), rows)
		: node("p", {class: "empty"}, "They are configured alike."));
}
