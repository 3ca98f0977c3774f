// SPDX-License-Identifier: Apache-2.0
// The fabric as a drawing, coloured by what its ports did.
"use strict";

// of [queue, paused_us, marked, dropped, tx_bytes, xoffs] of one direction
var heats = [
	{name: "Deepest queue", of: function (h) { return h[0]; }, say: bytes},
	{name: "Time paused", of: function (h) { return h[1]; }, say: us},
	{name: "Marked packets", of: function (h) { return h[2]; }, say: count},
	{name: "Use of the link", of: function (h, l, run) {
		var end = at(run, "summary.sim.t_end_us");
		return end > 0 ? h[4] * 8 / (l[3] * l[2] * end * 1e-6) : 0;
	}, say: percent},
	{name: "Dropped packets", of: function (h) { return h[3]; }, say: count},
];

function mix(a, b, f) {
	return "color-mix(in srgb, var(" + b + ") " + (f * 100).toFixed(1) + "%, var(" + a + "))";
}

function heatColour(f) {
	if (!(f > 0)) return "var(--heat-none)";
	f = Math.sqrt(Math.min(1, f));
	return f < 0.4 ? mix("--heat-none", "--heat-low", f / 0.4) : f < 0.7 ? mix("--heat-low", "--heat-mid", (f - 0.4) / 0.3)
		: mix("--heat-mid", "--heat-high", (f - 0.7) / 0.3);
}

function say(l, nodes, run) {
	function way(from, to, h, host) {
		var words = [];
		if (!host) words.push("queue up to " + bytes(h[0]), count(h[2]) + " marked");
		if (h[3]) words.push(count(h[3]) + " dropped");
		words.push("paused " + us(h[1]));
		if (h[5]) words.push(count(h[5]) + " XOFF frames sent");
		if (!host && h[4]) words.push(percent(heats[3].of(h, l, run)) + " used");
		return from + " \u2192 " + to + ": " + words.join(", ");
	}
	var a = nodes[l[0]], b = nodes[l[1]];
	return [(l[2] > 1 ? l[2] + " cables of " : "") + rate(l[3]) + ", " + us(l[4]) + (l[5] ? " (not all alike)" : ""),
		way(a[0], b[0], l[6], a[1] === 0), way(b[0], a[0], l[7], b[1] === 0)].join("\n");
}

function showMap(run) {
	var map = run.map, place = node("div", {class: "map"}), detail = node("p", {class: "detail soft", "aria-live": "polite"});
	if (!map || !list(map.nodes).length) return null;
	var nodes = map.nodes, links = list(map.links), marks = [], scale = node("span", {});
	var usable = heats.filter(function (h) {
		return links.some(function (l) { return h.of(l[6], l, run) > 0 || h.of(l[7], l, run) > 0; });
	});
	var arcs = links.some(function (l) { return nodes[l[0]] && nodes[l[1]] && nodes[l[0]][3] === nodes[l[1]][3]; });
	var above = arcs ? 12 : 0; // room for cables between switches of the top tier, which bend upwards
	var height = map.height + above, width = map.width;
	var svg = shape("svg", {viewBox: "0 " + -above + " " + width + " " + height, role: "group", "aria-label": "drawing of the fabric"});
	var lines = shape("g"), boxes = shape("g");
	append(svg, [lines, boxes]);
	function target(e, l) {
		e.setAttribute("class", "hit");
		if (links.length <= 260) e.setAttribute("tabindex", "0");
		e.addEventListener("pointermove", function (event) { showTip(event, say(l, nodes, run)); });
		e.addEventListener("pointerleave", hideTip);
		e.addEventListener("focus", function () { detail.innerText = say(l, nodes, run); });
		e.addEventListener("pointerdown", function () { detail.innerText = say(l, nodes, run); });
		marks.push([e, l]);
	}
	var host_link = {};
	links.forEach(function (l) {
		var a = nodes[l[0]], b = nodes[l[1]];
		if (!a || !b) return;
		if (a[1] === 0 && !map.pods && a[6] === 1) { host_link[l[0]] = l; return; }
		var x1 = a[2] + a[4] / 2, y1 = a[3], x2 = b[2] + b[4] / 2, y2 = b[3] + b[5];
		var d = a[3] === b[3] ? "M" + x1 + " " + y1 + "Q" + (x1 + x2) / 2 + " " + (y1 - 34) + " " + x2 + " " + b[3]
			: a[3] > b[3] ? "M" + x1 + " " + y1 + "L" + x2 + " " + y2 : "M" + x1 + " " + (a[3] + a[5]) + "L" + x2 + " " + b[3];
		var e = shape("path", {d: d, fill: "none", "stroke-linecap": "round"});
		target(e, l);
		lines.appendChild(e);
	});
	nodes.forEach(function (n, i) {
		var l = host_link[i];
		var e = shape("rect", {x: n[2], y: n[3], width: n[4], height: n[5], rx: n[1] ? 4 : 2});
		if (l) target(e, l);
		else e.setAttribute("class", "sw");
		boxes.appendChild(e);
		if (n[4] >= 40)
			boxes.appendChild(shape("text", {class: "name", x: n[2] + n[4] / 2, y: n[3] + n[5] / 2 + 4,
				"pointer-events": "none", textLength: text(n[0]).length * 6.4 > n[4] - 6 ? n[4] - 6 : null, lengthAdjust: "spacingAndGlyphs"}, text(n[0])));
	});
	var zoom = 1;
	function size() {
		var room = place.clientWidth - 2 || 900;
		var fit = Math.min(room / width, 1.6);
		var least = width / (nodes.length > 600 ? 3 : 1.6) * 1; // a legible size, with a scroll bar if need be
		var w = Math.max(Math.min(width * fit, room), Math.min(least, width)) * zoom;
		svg.setAttribute("width", Math.round(w));
		svg.setAttribute("height", Math.round(w * height / width));
	}
	function paint(heat) {
		var most = 0;
		marks.forEach(function (m) { most = Math.max(most, heat.of(m[1][6], m[1], run), heat.of(m[1][7], m[1], run)); });
		marks.sort(function (p, q) {
			return Math.max(heat.of(p[1][6], p[1], run), heat.of(p[1][7], p[1], run)) - Math.max(heat.of(q[1][6], q[1], run), heat.of(q[1][7], q[1], run));
		});
		marks.forEach(function (m) {
			var v = Math.max(heat.of(m[1][6], m[1], run), heat.of(m[1][7], m[1], run)), c = heatColour(most ? v / most : 0);
			if (m[0].tagName === "rect") m[0].style.fill = c;
			else {
				m[0].style.stroke = c;
				m[0].style.strokeWidth = most && v ? 1.6 + 3.4 * Math.sqrt(v / most) : 1;
				lines.appendChild(m[0]); // hot ones on top
			}
		});
		clear(scale);
		append(scale, ["0", node("span", {class: "ramp"}), heat.say(most)]);
	}
	place.appendChild(svg);
	drawn(node("div"), function () {});
	var out = section("map", "The fabric", map.pods ? "Large: each box stands for all switches of a pod's tier, or for its hosts." :
		"Hosts stand under their switch. A cable, and the host at its end, has the colour of the worse of its two directions; point at one for both.", [
		node("div", {class: "bar"}, choice(usable.map(function (h) { return h.name; }), 0, function (i) { paint(usable[i]); }).concat([
			node("span", {class: "push soft small"}, scale),
			width > 1300 ? node("button", {type: "button", onclick: function () { zoom = zoom === 1 ? 2 : zoom === 2 ? 4 : 1; size(); }}, "Zoom") : null,
		])), place, detail, portTable(run)]);
	out.ready = function () {
		size();
		paint(usable[0] || heats[0]);
		if (window.ResizeObserver) new ResizeObserver(size).observe(place);
	};
	return out;
}

function portTable(run) {
	var ports = run.ports || {}, rows = list(ports.rows), shown = 12;
	if (!rows.length) return null;
	var body = node("div", {}), more;
	function draw() {
		clear(body);
		body.appendChild(table([["port", true], ["to", true], ["priority"], ["sent"], ["use"], ["deepest queue"], ["marked"], ["dropped"], ["paused"], ["pauses"], ["XOFFs sent"]],
			rows.slice(0, shown).map(function (p) {
				var host = p[4], end = at(run, "summary.sim.t_end_us");
				return [p[0] + " port " + p[1], text(p[2]), p[3], host ? NONE : bytes(p[6]), host || !(end > 0) ? NONE : percent(p[6] * 8 / (p[13] * end * 1e-6)),
					host ? NONE : bytes(p[7]), host ? NONE : count(p[8]), host ? NONE : count(p[9]), us(p[10]), count(p[11]), count(p[12])];
			})));
		if (shown < rows.length)
			body.appendChild(node("button", {type: "button", style: "margin-top:8px", onclick: function () { shown = rows.length; draw(); }},
				"Show " + rows.length + (ports.all > rows.length ? " of " + count(ports.all) + " ports" : " ports")));
		if (rows.slice(0, shown).some(function (p) { return p[4]; }))
			body.appendChild(node("p", {class: "soft small"}, "Ports of hosts: their pauses alone are on record."));
	}
	draw();
	return node("div", {style: "margin-top:14px"}, [node("h3", {}, "Ports with the deepest queues"), body]);
}
