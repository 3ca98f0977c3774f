// SPDX-License-Identifier: Apache-2.0
// The control loop on one time axis: queue, marks, CNPs, rates, pause, latency. Of a run, of several, or of what a
// capture shows: whatever has series.t_us and the columns that its panels ask for.
"use strict";

var graphs = [];
var single_graphs = []; // on a time axis of their own
var followers = []; // what shows the same time as the graphs: called with [from, to], or null for all of it

// Per millisecond, whatever the length of an interval.
function perMs(run, name) {
	var t = list(run.series.t_us), v = list(run.series[name]);
	return v.map(function (x, i) {
		var width = t[i] - (i ? t[i - 1] : 0);
		return width > 0 ? x * 1000 / width : 0;
	});
}

function column(name) { return function (run) { return list(run.series[name]); }; }

// lines: [label, values of a run, colour?], or a function of the runs that returns these; unit: for people
var panels = [
	{title: "Deepest egress queue", unit: bytes, fill: true, lines: [["queue", column("queue_bytes")]]},
	{title: "CE marks per ms", unit: big, fill: true, lines: [["marks", function (r) { return perMs(r, "marked"); }]]},
	{title: "CNPs received per ms", unit: big, fill: true, lines: [["CNPs", function (r) { return perMs(r, "cnps"); }]]},
	{title: "Mean rate of active senders", unit: rate, note: "what a QP with something unacknowledged may send; switches deliver what they hold meanwhile", lines: [["rate", column("rate_bps")]], band: ["rate_low_bps", "rate_high_bps"]},
	{title: "Payload delivered", unit: rate, lines: [["goodput", function (r) {
		return perMs(r, "delivered_bytes").map(function (x) { return x * 8000; });
	}]]},
	{title: "Ports and priorities paused", unit: count, fill: true, step: true, lines: [["paused", column("paused_ports")]]},
	{title: "Packets dropped and sent again", unit: big, fill: true, optional: true,
		lines: [["dropped", column("drops")], ["sent again", column("retransmits")]]},
	{title: "One-way latency of data packets", unit: us, lines: [["mean", column("latency_us")], ["max", column("max_latency_us")]]},
];

function linesOf(panel, runs) { return typeof panel.lines === "function" ? panel.lines(runs) : panel.lines; }

// One run: its lines; several: the first line of each.
function panelData(panel, runs) {
	var single = runs.length === 1, times = {}, series = [];
	runs.forEach(function (run, k) {
		linesOf(panel, runs).slice(0, single ? undefined : 1).forEach(function (line) {
			series.push({label: single ? line[0] : run.label, t: list(run.series.t_us), v: line[1](run), run: k, colour: line[2]});
		});
		if (single && panel.band && run.series[panel.band[0]]) {
			series.push({label: "lowest", t: list(run.series.t_us), v: list(run.series[panel.band[0]]), run: k, thin: true});
			series.push({label: "highest", t: list(run.series.t_us), v: list(run.series[panel.band[1]]), run: k, thin: true});
		}
	});
	series.forEach(function (s, k) {
		s.t.forEach(function (t, i) {
			var row = times[t] || (times[t] = [t].concat(series.map(function () { return null; })));
			row[k + 1] = isNumber(s.v[i]) ? s.v[i] : runs.length > 1 ? NaN : null; // null: another run's time, to be passed over
		});
	});
	var rows = Object.keys(times).map(function (t) { return times[t]; }).sort(function (a, b) { return a[0] - b[0]; });
	return {series: series, rows: rows};
}

function isQuiet(panel, runs) {
	return runs.every(function (run) {
		return linesOf(panel, runs).every(function (l) { return l[1](run).every(function (x) { return !x; }); });
	});
}

function eventsOf(run) {
	var marks = [];
	list(run.fault).forEach(function (f) { if (isNumber(f[1])) marks.push([f[1], isNumber(f[2]) ? f[2] : f[1], "--c3"]); });
	list(run.watchdog).forEach(function (w) { marks.push([w[0], w[0], "--c4"]); });
	list(run.deadlock).forEach(function (d) { marks.push([d[0], d[0], "--bad"]); });
	list(run.marks).forEach(function (m) { marks.push(m); });
	list(run.violation).slice(0, 50).forEach(function (v) { marks.push([v[0], v[0], "--bad"]); });
	return marks;
}

function underlay(marks) {
	return function (ctx, area, g) {
		marks.forEach(function (m) {
			var x0 = g.toDomXCoord(m[0]), x1 = g.toDomXCoord(m[1]);
			ctx.fillStyle = css(m[2]);
			ctx.globalAlpha = 0.16;
			if (x1 - x0 > 1) ctx.fillRect(Math.max(x0, area.x), area.y, Math.min(x1, area.x + area.w) - Math.max(x0, area.x), area.h);
			ctx.globalAlpha = 0.7;
			if (x0 >= area.x && x0 <= area.x + area.w) ctx.fillRect(x0, area.y, 1, area.h);
			ctx.globalAlpha = 1;
		});
	};
}

// A run has one colour in all panels; of one run the second line has the next.
function lineColour(s, i, all) {
	if (isNumber(s.colour)) return "--c" + s.colour % 8;
	var second = !s.thin && i % 2 && all.length < 3 && all[0].run === s.run;
	return "--c" + (s.run + (second ? 1 : 0)) % 8;
}

// What the lines of one run's panel are; the lines of several runs have one legend for all panels.
function lineKeys(series, runs) {
	if (runs.length > 1 || series.length < 2) return null;
	return node("span", {class: "legend keys"}, series.map(function (s, i) {
		return node("span", {}, [node("i", {class: s.thin ? "line dash" : "line", style: "border-color:var(" + lineColour(s, i, series) + ")"}), s.label]);
	}));
}

function themeOptions(series) {
	return {
		colors: series.map(function (s, i) { return css(lineColour(s, i, series)); }),
		axes: {x: {gridLineColor: css("--line"), axisLineColor: css("--faint")}, y: {gridLineColor: css("--line"), axisLineColor: css("--faint")}},
	};
}

function makePanel(place, panel, runs, last) {
	var data = panelData(panel, runs);
	var now = node("span", {class: "now"});
	var plot = node("div", {class: last ? "plot last" : "plot", role: "img", "aria-label": panel.title + " over time"});
	var lines = linesOf(panel, runs), title = panel.title + (runs.length > 1 && lines.length > 1 ? ": " + lines[0][0] : "");
	place.appendChild(node("div", {class: "panel"}, [node("div", {class: "panel-head"}, [node("b", {}, title), panel.note ? node("span", {class: "soft small"}, panel.note) : null, lineKeys(data.series, runs), now]), plot]));
	var theme = themeOptions(data.series);
	var narrow = innerWidth < 640;
	var options = {
		labels: ["t"].concat(data.series.map(function (s, i) { return s.label + (runs.length > 1 ? "\u200b".repeat(i) : ""); })),
		colors: theme.colors,
		legend: "never",
		fillGraph: !!panel.fill && runs.length === 1,
		fillAlpha: 0.18,
		stepPlot: !!panel.step,
		strokeWidth: 1.4,
		connectSeparatedPoints: runs.length > 1,
		includeZero: true,
		gridLineWidth: 1,
		axisLineWidth: 1,
		rightGap: 8,
		highlightCircleSize: 3,
		axisLabelFontSize: 11,
		xRangePad: 0,
		underlayCallback: runs.length === 1 ? underlay(eventsOf(runs[0])) : null,
		axes: {
			x: Object.assign({axisLabelFormatter: us, valueFormatter: us, axisLabelWidth: 70,
				axisLabelHeight: last ? 18 : 0, drawAxis: true, pixelsPerLabel: narrow ? 75 : 90}, theme.axes.x),
			y: Object.assign({axisLabelFormatter: panel.unit, valueFormatter: panel.unit, axisLabelWidth: narrow ? 54 : 66,
				pixelsPerLabel: 26}, theme.axes.y),
		},
		series: {},
		highlightCallback: function (event, x, points) {
			now.textContent = us(x) + ": " + points.filter(function (p) { return isNumber(p.yval); }).map(function (p) {
				return p.name.replace(/\u200b/g, "") + " " + panel.unit(p.yval);
			}).join(", ");
		},
		unhighlightCallback: function () { now.textContent = ""; },
	};
	if (!last) options.axes.x.axisLabelFormatter = function () { return ""; };
	data.series.forEach(function (s, i) {
		if (s.thin) options.series[options.labels[i + 1]] = {strokeWidth: 0.7, strokePattern: [3, 2], fillGraph: false};
	});
	if (last) Object.assign(options, {showRangeSelector: true, rangeSelectorHeight: 34, rangeSelectorPlotFillColor: css("--c0"),
		rangeSelectorPlotStrokeColor: css("--c0"), rangeSelectorAlpha: 0.5, rangeSelectorBackgroundStrokeColor: css("--faint")});
	var g = new Dygraph(plot, data.rows, options);
	g.squallSeries = data.series;
	return g;
}

// words: lead, whole (the button), reduced (of those runs whose time line is)
function loopSection(runs, panels, words) {
	var place = node("div", {}), reduced = runs.filter(function (r) { return r.series.step > 1; });
	var out = section("loop", "Control loop", words.lead, [
		node("div", {class: "bar"}, [
			runs.length > 1 ? legend(runs.map(function (r, i) { return [r.label, colour(i)]; })) : null,
			node("span", {class: "soft small"}, "Drag to zoom, shift-drag to move, double-click to see all."),
			node("button", {type: "button", class: "push", onclick: function () {
				graphs.forEach(function (g) { g.resetZoom(); });
			}}, words.whole),
		]),
		place,
		reduced.length ? node("p", {class: "soft small"}, words.reduced(reduced)) : null,
	]);
	function follow(g) {
		var range = g.xAxisRange(), all = g.xAxisExtremes();
		followers.forEach(function (f) { f(range[0] <= all[0] && range[1] >= all[1] ? null : range); });
	}
	out.ready = function () {
		var shown = panels.filter(function (p) { return !p.optional || !isQuiet(p, runs); });
		graphs = shown.map(function (p, i) { return makePanel(place, p, runs, i === shown.length - 1); });
		if (graphs.length > 1) Dygraph.synchronize(graphs, {selection: true, zoom: true, range: false});
		if (followers.length) {
			var last = graphs[graphs.length - 1], draw = last.getFunctionOption("drawCallback");
			last.updateOptions({drawCallback: function (g, first) { if (draw) draw.call(this, g, first); follow(g); }});
		}
		place.setAttribute("data-drawn", String(graphs.length));
	};
	return out;
}

function showLoop(runs) {
	var with_rows = runs.filter(function (r) { return r.series && list(r.series.t_us).length > 1; });
	if (!with_rows.length)
		return section("loop", "Control loop", null, node("p", {class: "empty"},
			"This run recorded no time line. Add measure: {series: 10us} to the scenario, or --set measure.series=10us, and run it again."));
	return loopSection(with_rows, panels, {
		lead: runs.length > 1 ? "The same quantity of every run, each on its own clock from the start of the run."
			: "Queues grow, switches mark, receivers send CNPs, senders slow down; where that is too late, PFC pauses. All on one time axis.",
		whole: "Whole run",
		reduced: function (reduced) {
			return "A point stands for several rows of series.csv (" + reduced.map(function (r) {
				return (runs.length > 1 ? r.label + ": " : "") + r.series.step + " of " + count(r.series.rows);
			}).join(", ") + "): counts are added up, depths and latencies show their maximum, the rate its lowest, mean and highest value.";
		},
	});
}

function loopTheme() {
	graphs.concat(single_graphs).forEach(function (g) { g.updateOptions(themeOptions(g.squallSeries)); });
}
