// SPDX-License-Identifier: Apache-2.0
// Who sent how much to whom, as a square of heat.
"use strict";

function showMatrix(c) {
	var hosts = list(at(c, "matrix.hosts")).map(text), cells = list(at(c, "matrix.cells")), others = at(c, "matrix.others") || 0;
	if (!cells.length) return null;
	var names = others ? hosts.concat([plural(others, "other host")]) : hosts, place = node("div", {class: "square"}), what = 0, size = 0;
	var kinds = [["Payload", 2, bytes], ["Messages", 3, count]];
	function draw(width) {
		var longest = names.reduce(function (n, s) { return Math.max(n, s.length); }, 0), narrow = width < 640;
		var left = Math.min(longest * 6.4 + 10, narrow ? 112 : 260), n = names.length;
		var cell = Math.max(3, Math.min(34, (width - left - 6) / n)), top = narrow || n > 24 ? 18 : 18, stops = heatScale();
		var k = kinds[what], most = cells.reduce(function (m, x) { return Math.max(m, x[k[1]]); }, 0), at_cell = {};
		var svg = shape("svg", {width: width, height: top + n * cell + 24, role: "img", "aria-label": "traffic matrix"});
		svg.appendChild(shape("text", {x: left, y: 12}, "to (same order as the rows)"));
		cells.forEach(function (x) { at_cell[x[0] + "," + x[1]] = x; });
		names.forEach(function (name, i) {
			if (cell >= 9) svg.appendChild(shape("text", {x: left - 6, y: top + i * cell + cell / 2 + 4, "text-anchor": "end"},
				name.length * 6.4 > left - 10 ? "\u2026" + name.slice(-Math.floor((left - 16) / 6.4)) : name));
			svg.appendChild(shape("line", {class: "rule", x1: left, x2: left + n * cell, y1: top + i * cell, y2: top + i * cell}));
			svg.appendChild(shape("line", {class: "rule", x1: left + i * cell, x2: left + i * cell, y1: top, y2: top + n * cell}));
		});
		cells.forEach(function (x) {
			svg.appendChild(shape("rect", {x: left + x[1] * cell + 0.5, y: top + x[0] * cell + 0.5, width: cell - 1, height: cell - 1,
				fill: rgbText(heatRgb(most ? x[k[1]] / most : 0, stops))}));
		});
		svg.appendChild(shape("rect", {class: "axis", x: left, y: top, width: n * cell, height: n * cell}));
		function under(event) {
			var box = svg.getBoundingClientRect(), j = Math.floor((event.clientX - box.left - left) / cell), i = Math.floor((event.clientY - box.top - top) / cell), x;
			if (i < 0 || j < 0 || i >= n || j >= n) { hideTip(); return; }
			x = at_cell[i + "," + j];
			showTip(event, names[i] + " \u2192 " + names[j] + "\n" + (x ? bytes(x[2]) + " in " + plural(x[3], "message") : "nothing"));
		}
		svg.addEventListener("pointermove", under);
		svg.addEventListener("pointerdown", under);
		svg.addEventListener("pointerleave", hideTip);
		size = width;
		place.appendChild(svg);
	}
	function again() { if (size) { clear(place); draw(size); } }
	drawn(place, draw);
	themed.push(again);
	return section("matrix", "Traffic matrix", "Rows send, columns receive; in the order of their addresses." +
		(others ? " The " + hosts.length + " hosts with most traffic; the last row and column stand for all others together." : ""), [
		node("div", {class: "bar"}, choice(kinds.map(function (k) { return k[0]; }), 0, function (i) { what = i; again(); }).concat([
			node("span", {class: "soft small"}, ["nothing", node("span", {class: "ramp"}), "most"])])), place]);
}
