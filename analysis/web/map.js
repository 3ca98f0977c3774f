// SPDX-License-Identifier: Apache-2.0
// The fabric as a drawing, coloured by what its ports did.
"use strict";

var paints = []; // drawings on the page: how to colour them again

function mapTheme() { paints.forEach(function (again) { again(); }); }

// How far above two nodes of one tier the control point of their cable lies: that of distant ones passes above
// that of neighbours. As in topo_map_arc_rise().
function arcRise(a, b) {
	var apart = Math.abs(a[2] - b[2]);
	return 34 + Math.min(100, Math.max(0, Math.floor((apart - 130) / 5)));
}

function showMap(run) {
	var map = run.map, place = node("div", {class: "map"}), detail = node("p", {class: "detail soft", "aria-live": "polite"});
	if (!map || !list(map.nodes).length) return null;
	var nodes = map.nodes, links = list(map.links), marks = [], scale = node("span", {});
	var usable = heats.filter(function (h) {
		return links.some(function (l) { return h.of(l[6], l, run) > 0 || h.of(l[7], l, run) > 0; });
	});
	// room for cables between switches of the top tier, which bend upwards
	var above = links.reduce(function (room, l) {
		var a = nodes[l[0]], b = nodes[l[1]];
		return a && b && a[3] === b[3] ? Math.max(room, Math.ceil(arcRise(a, b) / 2 - a[3]) + 5) : room;
	}, 0);
	var height = map.height + above, width = map.width;
	var svg = shape("svg", {viewBox: "0 " + -above + " " + width + " " + height, role: "group", "aria-label": "drawing of the fabric"});
	var lines = shape("g"), boxes = shape("g"), grid = null, current = usable[0] || heats[0];
	append(svg, [lines, boxes]);
	function target(e, l) {
		e.setAttribute("class", "hit");
		if (links.length <= 260) e.setAttribute("tabindex", "0");
		e.addEventListener("pointermove", function (event) { showTip(event, say(l, nodes, run)); });
		e.addEventListener("pointerleave", hideTip);
		e.addEventListener("focus", function () { detail.innerText = say(l, nodes, run); });
		e.addEventListener("pointerdown", function () { detail.innerText = say(l, nodes, run); });
		marks.push({e: e, l: l});
	}
	var host_link = {};
	links.forEach(function (l) {
		var a = nodes[l[0]], b = nodes[l[1]];
		if (!a || !b) return;
		if (a[1] === 0 && !map.pods && a[6] === 1) { host_link[l[0]] = l; return; }
		var x1 = a[2] + a[4] / 2, y1 = a[3], x2 = b[2] + b[4] / 2, y2 = b[3] + b[5];
		var d = a[3] === b[3] ? "M" + x1 + " " + y1 + "Q" + (x1 + x2) / 2 + " " + (y1 - arcRise(a, b)) + " " + x2 + " " + b[3]
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
		if (n[4] < 40) return;
		var name = shape("text", {class: "name", x: n[2] + n[4] / 2, y: n[3] + n[5] / 2 + 4,
			"pointer-events": "none", textLength: text(n[0]).length * 6.4 > n[4] - 6 ? n[4] - 6 : null, lengthAdjust: "spacingAndGlyphs"}, text(n[0]));
		if (l) marks[marks.length - 1].name = name;
		boxes.appendChild(name);
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
		var most = marks.reduce(function (n, m) { return Math.max(n, worse(heat, m.l, run)); }, 0), stops = heatScale();
		current = heat;
		marks.sort(function (p, q) { return worse(heat, p.l, run) - worse(heat, q.l, run); });
		marks.forEach(function (m) {
			var v = worse(heat, m.l, run), c = heatRgb(most ? v / most : 0, stops);
			if (m.e.tagName === "rect") {
				m.e.style.fill = rgbText(c);
				if (m.name) m.name.style.fill = rgbText(inkOn(c));
				return;
			}
			m.e.style.stroke = rgbText(c);
			m.e.style.strokeWidth = most && v ? 1.6 + 3.4 * Math.sqrt(v / most) : 1;
			lines.appendChild(m.e); // hot ones on top
		});
		if (grid) grid.paint(heat, most, stops);
		clear(scale);
		append(scale, ["0", node("span", {class: "ramp"}), heat.say(most)]);
	}
	// Cells are made when they are first asked for.
	function layout(cells) {
		if (cells && !grid) { place.appendChild(grid = heatGrid(run, detail)); paint(current); }
		svg.style.display = cells ? "none" : "block";
		if (grid) grid.style.display = cells ? "block" : "none";
		zoomer.hidden = cells || width <= 1300;
		lead.textContent = cells ? in_cells : in_drawing;
	}
	place.appendChild(svg);
	var in_drawing = map.pods ? "Large: each box stands for all switches of a pod's tier, or for its hosts." :
		"Hosts stand under their switch. A cable, and the host at its end, has the colour of the worse of its two directions; point at one for both.";
	var in_cells = "A card for each switch" + (map.pods ? " or the switches of a pod's tier" : "") + ", a cell for each of its links. The cell of a host has the colour of the worse of the two directions, " +
		"that of a link between switches the colour of what this switch sends; beside the name stands the worst. Point at one for both directions.";
	var lead = node("p", {class: "lead"}, in_drawing);
	var zoomer = node("button", {type: "button", hidden: "", onclick: function () { zoom = zoom === 1 ? 2 : zoom === 2 ? 4 : 1; size(); }}, "Zoom");
	var views = choice(["Drawing", "Cells"], 0, function (i) { layout(i === 1); });
	var out = section("map", "The fabric", null, [lead,
		node("div", {class: "bar"}, choice(usable.map(function (h) { return h.name; }), 0, function (i) { paint(usable[i]); }).concat([
			node("span", {class: "push soft small"}, scale), zoomer, node("span", {class: "pair"}, views),
		])), place, detail, portTable(run)]);
	out.ready = function () {
		size();
		paint(current);
		// names in the drawing would be too small to read
		if (width > 1.25 * (place.clientWidth || 900)) views[1].onclick();
		paints = paints.filter(function (p) { return p.of.isConnected; });
		var again = function () { paint(current); };
		again.of = out;
		paints.push(again);
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
				return [p[0] + " port " + p[1], text(p[2]), p[3], bytes(p[6]), end > 0 ? percent(p[6] * 8 / (p[13] * end * 1e-6)) : NONE,
					host ? NONE : bytes(p[7]), host ? NONE : count(p[8]), host ? NONE : count(p[9]), us(p[10]), count(p[11]), count(p[12])];
			})));
		if (shown < rows.length)
			body.appendChild(node("button", {type: "button", style: "margin-top:8px", onclick: function () { shown = rows.length; draw(); }},
				ports.all > rows.length ? "Show " + rows.length + " of " + count(ports.all) + " ports and priorities" : "Show all " + rows.length + " ports and priorities"));
		if (rows.slice(0, shown).some(function (p) { return p[4]; }))
			body.appendChild(node("p", {class: "soft small"}, "A host's port has no queue of packets: what it cannot send yet waits in its queue pairs."));
	}
	draw();
	return node("div", {style: "margin-top:14px"}, [node("h3", {}, "Ports with the deepest queues"), body]);
}
