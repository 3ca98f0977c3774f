// SPDX-License-Identifier: Apache-2.0
// Pauses on the time axis of the control loop: a lane for each port and priority that was told to stop, and by whom.
"use strict";

var LANES = 40;

function priorityName(p) { return p === 8 ? "all (802.3x)" : "priority " + p; }

// Who is told: [interface, mac, direction]
function laneWords(c, w) {
	var row = list(at(c, "interfaces.rows"))[w.interface], name = row ? text(row[0]) || "interface " + w.interface : "interface " + w.interface;
	var paused = w.direction === "in" ? name : w.direction === "out" ? "the peer of " + name : name;
	return {paused: paused, by: w.mac, line: paused + ", " + priorityName(w.priority)};
}

// One lane for each interface, sender of XOFFs and priority, the longest paused first.
function lanesOf(c) {
	var out = [], of = {};
	list(at(c, "pauses.who")).forEach(function (w) {
		if (w[3]) return; // the same frames are seen nearer to the paused port
		list(w[6]).forEach(function (p, priority) {
			if (!p[1] && !p[0]) return;
			var lane = {interface: w[0], mac: text(w[1]), direction: text(w[2]), priority: priority, held: p[0], episodes: p[1], expired: p[2], longest: p[3], rows: []};
			of[[w[0], w[1], priority]] = lane;
			out.push(lane);
		});
	});
	list(at(c, "pauses.rows")).forEach(function (r) {
		var lane = of[[r[0], r[1], r[2]]];
		if (lane) lane.rows.push(r);
	});
	return out.sort(function (a, b) { return (b.held || 0) - (a.held || 0); });
}

// For each pixel of a lane only what is seen: pauses that end in the same pixel are one bar.
function barsOf(lane, x, left, right) {
	var out = [], last = null;
	lane.rows.slice().sort(function (a, b) { return a[3] - b[3]; }).forEach(function (r) {
		var x0 = Math.max(left, x(r[3])), x1 = Math.min(right, Math.max(x(r[3] + r[4]), x(r[3]) + 1.2));
		if (x1 < left || x0 > right) return;
		if (last && x0 <= last.x1 + 0.3) { last.x1 = Math.max(last.x1, x1); last.n++; last.held += r[4]; if (r[4] > last.row[4]) last.row = r; } else
			out.push(last = {x0: x0, x1: x1, n: 1, held: r[4], row: r});
	});
	return out;
}

function showLanes(c) {
	var lanes = lanesOf(c), all = at(c, "pauses.all") || 0, listed = list(at(c, "pauses.rows")).length;
	if (!lanes.length) return null;
	var place = node("div", {class: "lanes"}), range = null, size = 0, start = 0, end = Math.max(1e-3, c.span_us || 0);
	function draw(width) {
		var narrow = width < 640, left = narrow ? 0 : 230, right = width - 8, step = narrow ? 36 : 22, top = 4;
		var shown = lanes.slice(0, LANES), from = range ? range[0] : start, to = range ? range[1] : end, height = top + shown.length * step + 24;
		function x(t) { return left + (t - from) / (to - from || 1) * (right - left); }
		var svg = shape("svg", {width: width, height: height, role: "img", "aria-label": "pauses over time"});
		var at_x = -100;
		niceTicks(from, to, Math.max(2, Math.floor((right - left) / 100))).forEach(function (t) {
			if (x(t) - at_x < 60 || x(t) > right - 20 || x(t) < left) return;
			at_x = x(t);
			svg.appendChild(shape("line", {class: "rule", x1: at_x, x2: at_x, y1: top, y2: height - 20}));
			svg.appendChild(shape("text", {x: at_x, y: height - 6, "text-anchor": at_x < left + 20 ? "start" : "middle"}, us(t)));
		});
		shown.forEach(function (lane, i) {
			var words = laneWords(c, lane), y = top + i * step, bar = narrow ? y + 18 : y + 4, line = words.line;
			if (!narrow && line.length > 36) line = "\u2026" + line.slice(-35);
			svg.appendChild(shape("text", narrow ? {class: "ink", x: 0, y: y + 12} : {class: "ink", x: left - 8, y: y + 15, "text-anchor": "end"}, line));
			svg.appendChild(shape("rect", {class: "lane", x: left, y: bar, width: right - left, height: 14}));
			barsOf(lane, x, left, right).forEach(function (b) {
				var r = b.row, e = shape("rect", {x: b.x0.toFixed(1), y: bar, width: (b.x1 - b.x0).toFixed(1), height: 14, style: "fill:var(--c" + (lane.priority === 8 ? 3 : lane.priority % 8) + ")"});
				svg.appendChild(withTip(e, words.line + "\nheld by " + words.by + "\n" + (b.n > 1 ? plural(b.n, "pause") + ", " + us(b.held) + " in all; the longest " : "") +
					us(r[4]) + " from " + us(r[3]) + " on, " + plural(r[6], "XOFF") + ", " + (r[5] === 2 ? "until the capture ended" : r[5] ? "until its quanta ran out" : "until XON") + ", frame " + count(r[7])));
			});
		});
		size = width;
		place.appendChild(svg);
	}
	drawn(place, draw);
	followers.push(function (r) {
		if (String(r) === String(range)) return;
		range = r;
		if (size) { clear(place); draw(size); }
	});
	return section("pauses", "Who paused whom", "A lane for each port and priority that was told to stop, on the time axis above: it zooms with it. Frames that several interfaces show stand once, at the port that was told.", [place,
		node("div", {style: "height:12px"}),
		table([["paused", true], ["priority", true], ["by", true], ["in all"], ["pauses"], ["longest"], ["ended by quanta"]], lanes.slice(0, LANES).map(function (l) {
			var w = laneWords(c, l);
			return [w.paused, l.priority === 8 ? "all (802.3x)" : l.priority, node("code", {}, w.by), l.held == null ? "speed unknown" : us(l.held), count(l.episodes), us(l.longest), count(l.expired)];
		})),
		lanes.length > LANES || all > listed ? node("p", {class: "soft small"}, (lanes.length > LANES ? "The " + LANES + " longest paused of " + count(lanes.length) + " lanes. " : "") +
			(all > listed ? "The longest " + count(listed) + " of " + count(all) + " pauses are drawn; pauses.csv holds all." : "")) : null,
	]);
}
