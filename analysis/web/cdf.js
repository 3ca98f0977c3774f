// SPDX-License-Identifier: Apache-2.0
// Distributions with an axis for the tail: the share of samples that are at least so large, on a log scale.
"use strict";

function niceTicks(low, high, n) {
	var step = Math.pow(10, Math.floor(Math.log10((high - low) / n || 1)));
	[5, 2.5, 2].forEach(function (m) { if ((high - low) / (step * m) >= n) { step *= m; } });
	while ((high - low) / step > n) step *= 2;
	var out = [], x = Math.ceil(low / step) * step;
	for (; x <= high * 1.0000001 && out.length < 20; x += step) out.push(parseFloat(x.toPrecision(12)));
	return out;
}

function logTicks(low, high, dense) {
	var out = [], e = Math.floor(Math.log10(low));
	for (; Math.pow(10, e) <= high * 1.001 && out.length < 60; e++)
		(dense ? [1, 2, 5] : [1]).forEach(function (m) {
			var x = m * Math.pow(10, e);
			if (x >= low * 0.999 && x <= high * 1.001) out.push(parseFloat(x.toPrecision(6)));
		});
	return out;
}

// curves: {label, n, tail: [[value, samples at least so large]], colour}
function tailChart(title, curves, unit) {
	curves = curves.filter(function (c) { return c.n > 0 && list(c.tail).length; });
	var place = node("div", {class: "chart"});
	var box = node("div", {}, [node("h3", {}, title), curves.length > 1 ? legend(curves.map(function (c) { return [c.label, c.colour]; })) : null, place]);
	if (!curves.length) {
		place.appendChild(node("p", {class: "empty"}, "No samples."));
		return box;
	}
	drawn(place, function (width) { place.appendChild(drawTail(curves, unit, width, title)); });
	return box;
}

function drawTail(curves, unit, width, title) {
	var height = 262, left = 50, right = 12, top = 8, bottom = 32;
	var low = Infinity, high = -Infinity, n = 0;
	curves.forEach(function (c) {
		low = Math.min(low, c.tail[0][0]);
		high = Math.max(high, c.tail[c.tail.length - 1][0]);
		n = Math.max(n, c.n);
	});
	var isLog = low > 0 && high / low > 8;
	if (!isLog) { low = Math.min(low, high * 0.9); if (low < high * 0.3) low = 0; }
	if (high <= low) high = low + 1;
	var decades = Math.max(1, Math.ceil(Math.log10(n)));
	if (decades > 3) left = 36 + 7 * decades;
	function x(v) {
		var f = isLog ? Math.log(v / low) / Math.log(high / low) : (v - low) / (high - low);
		return left + Math.max(0, Math.min(1, f)) * (width - left - right);
	}
	function y(share) { return top + Math.min(1, -Math.log10(share) / decades) * (height - top - bottom); }
	var svg = shape("svg", {width: width, height: height, role: "img", "aria-label": title});
	var i, words;
	for (i = 0; i <= decades; i++) {
		words = i === 0 ? "all" : i === 1 ? "10 %" : i === 2 ? "1 %" : parseFloat(Math.pow(10, 2 - i).toPrecision(3)) + " %";
		svg.appendChild(shape("line", {class: "rule", x1: left, x2: width - right, y1: y(Math.pow(10, -i)), y2: y(Math.pow(10, -i))}));
		svg.appendChild(shape("text", {x: left - 7, y: y(Math.pow(10, -i)) + 4, "text-anchor": "end"}, words));
	}
	svg.appendChild(shape("line", {class: "rule", x1: left, x2: width - right, y1: y(0.5), y2: y(0.5), "stroke-dasharray": "2 3"}));
	var ticks = isLog ? logTicks(low, high, high / low < 200) : niceTicks(low, high, Math.max(3, Math.floor(width / 110)));
	var at_x = -100;
	ticks.forEach(function (v) {
		if (x(v) - at_x < 46 || x(v) > width - right - 8) return;
		at_x = x(v);
		svg.appendChild(shape("line", {class: "rule", x1: at_x, x2: at_x, y1: top, y2: height - bottom}));
		svg.appendChild(shape("text", {x: at_x, y: height - bottom + 16, "text-anchor": "middle"}, unit(v)));
	});
	svg.appendChild(shape("path", {class: "axis", d: "M" + left + " " + top + "V" + (height - bottom) + "H" + (width - right)}));
	curves.forEach(function (c) {
		var sure = "", weak = "", px = null, py = null;
		c.tail.forEach(function (p, k) {
			var X = x(p[0]).toFixed(1), Y = y(p[1] / c.n).toFixed(1);
			var d = (px === null ? "M" + X + " " + Y : "H" + X + "V" + Y);
			if (p[1] >= 10 || k === 0) sure += d;
			else { if (!weak) weak = "M" + px + " " + py; weak += "H" + X + "V" + Y; }
			px = X; py = Y;
		});
		var last = "V" + (height - bottom);
		if (weak) weak += last; else sure += last;
		svg.appendChild(shape("path", {d: sure, fill: "none", "stroke-width": 1.8, style: "stroke:" + c.colour}));
		if (weak) svg.appendChild(shape("path", {d: weak, fill: "none", "stroke-width": 1.4, "stroke-dasharray": "3 2.5", style: "stroke:" + c.colour}));
	});
	var hair = shape("line", {class: "axis", y1: top, y2: height - bottom, visibility: "hidden"});
	svg.appendChild(hair);
	svg.addEventListener("pointermove", function (event) {
		var f = (event.clientX - svg.getBoundingClientRect().left - left) / (width - left - right);
		if (f < 0 || f > 1) { hideTip(); return; }
		var v = isLog ? low * Math.pow(high / low, f) : low + f * (high - low);
		hair.setAttribute("x1", x(v)); hair.setAttribute("x2", x(v)); hair.setAttribute("visibility", "visible");
		showTip(event, unit(v) + curves.map(function (c) {
			var above = 0;
			c.tail.forEach(function (p) { if (p[0] < v) above = p[1]; });
			c.tail.some(function (p) { if (p[0] >= v) { above = p[1]; return true; } above = 0; return false; });
			return "\n" + (curves.length > 1 ? c.label + ": " : "") + percent(1 - above / c.n) + " are below, " + count(above) + " are not";
		}).join(""));
	});
	svg.addEventListener("pointerleave", function () { hideTip(); hair.setAttribute("visibility", "hidden"); });
	return svg;
}

function distTable(run) {
	var asked = list(run.percentiles), weak = false;
	var rows = list(run.dists).map(function (d) {
		var unit = d.unit === "us" ? us : ratio;
		return [d.name, unit(d.min), unit(d.mean)].concat(list(d.asked).map(function (a) {
			weak = weak || a[1];
			return node("span", {class: a[1] ? "weak" : null}, unit(a[0]));
		})).concat([unit(d.max), count(d.samples)]);
	});
	return node("div", {}, [
		table([["", true], ["min"], ["mean"]].concat(asked.map(function (p) { return ["p" + p]; })).concat([["max"], ["samples"]]), rows),
		weak ? node("p", {class: "soft small"}, "* weak: fewer than 10/(1\u2212p) samples") : null,
	]);
}

function curvesOf(runs, name) {
	var out = [];
	runs.forEach(function (run, k) {
		list(run.cdf && run.cdf[name]).forEach(function (c) {
			if (runs.length > 1 && c.entry >= 0) return;
			out.push({label: runs.length > 1 ? run.label : c.entry < 0 ? "all" : "workload[" + c.entry + "]", n: c.n, tail: list(c.tail),
				colour: colour(runs.length > 1 ? k : c.entry + 1)});
		});
	});
	return out;
}

function showCdfs(runs) {
	var sampled = runs.some(function (r) { return r.sample_one_in > 1; });
	return section("tails", "Distributions and their tails",
		"How large a share takes at least so long, on a log scale, so that the slowest one in a thousand is as visible as the median (dotted). Dashed: fewer than ten samples.", [
			runs.length === 1 ? distTable(runs[0]) : null,
			node("div", {class: "grid2", style: "margin-top:18px"}, [
				tailChart("Flow completion time", curvesOf(runs, "fct_us"), us),
				tailChart("Slowdown: times the message alone", curvesOf(runs, "slowdown"), ratio),
				tailChart("One-way packet latency", curvesOf(runs, "latency_us"), us),
			]),
			sampled ? node("p", {class: "soft small"}, "Curves of messages are drawn from those that messages.csv holds, a sample; the table is of all.") : null,
		]);
}
