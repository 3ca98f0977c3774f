// SPDX-License-Identifier: Apache-2.0
// What a reader sees of a report in the frame `w`: contrast, sizes, legends. An object of plain values.
"use strict";

function looks(w) {
	var d = w.document, out = {};

	function rgba(words) {
		var m = /^rgba?\(([\d.]+),\s*([\d.]+),\s*([\d.]+)(?:,\s*([\d.]+))?\)$/.exec(words);
		return m ? [Number(m[1]), Number(m[2]), Number(m[3]), m[4] === undefined ? 1 : Number(m[4])] : null;
	}
	// WCAG 2.1, relative luminance and contrast ratio: written anew, so that the page's own cannot hide a mistake
	function channel(v) { v /= 255; return v <= 0.04045 ? v / 12.92 : Math.pow((v + 0.055) / 1.055, 2.4); }
	function luminance(c) { return 0.2126 * channel(c[0]) + 0.7152 * channel(c[1]) + 0.0722 * channel(c[2]); }
	function ratio(a, b) {
		var x = luminance(a), y = luminance(b);
		return (Math.max(x, y) + 0.05) / (Math.min(x, y) + 0.05);
	}
	function ground(e) {
		var c;
		for (; e; e = e.parentElement) {
			c = rgba(w.getComputedStyle(e).backgroundColor);
			if (c && c[3] === 1) return c;
			if (c && c[3] > 0) return null;
		}
		return [255, 255, 255, 1];
	}
	function behind(e) { // a name in the drawing stands on the box before it
		return e.classList.contains("name") ? rgba(w.getComputedStyle(e.previousElementSibling).fill) : ground(e.parentElement);
	}
	function texts() {
		var walk = d.createTreeWalker(d.body, 4), low = [], n = 0, named = 0, t, e, s, fore, back, r, size;
		while ((t = walk.nextNode())) {
			e = t.parentElement;
			if (!t.data.trim() || /^(SCRIPT|STYLE|NOSCRIPT|OPTION)$/.test(e.tagName) || !e.getClientRects().length) continue;
			s = w.getComputedStyle(e);
			if (s.visibility === "hidden") continue;
			var is_svg = e.namespaceURI !== d.documentElement.namespaceURI;
			fore = rgba(is_svg ? s.fill : s.color);
			back = is_svg ? behind(e) : ground(e);
			r = fore && fore[3] === 1 && back ? ratio(fore, back) : 0;
			size = parseFloat(s.fontSize);
			n++;
			named += e.classList.contains("name");
			if (r < (size >= 24 || (size >= 18.66 && Number(s.fontWeight) >= 700) ? 3 : 4.5))
				low.push(t.data.trim().slice(0, 40) + " has " + r.toFixed(2) + ": " + s.color + " " + s.fill + " on " + back);
		}
		return {n: n, named: named, low: low};
	}
	out.ready = d.documentElement.getAttribute("data-ready");
	out.wide = d.documentElement.scrollWidth - d.documentElement.clientWidth;
	out.texts = texts();

	// names on every colour of heat; lines of charts on their ground
	var stops = w.heatScale(), card = w.rgbOf("--card"), f, c;
	out.heat = 21;
	for (f = 0; f <= 1; f += 1 / 256) { c = w.heatRgb(f, stops); out.heat = Math.min(out.heat, ratio(w.inkOn(c), c)); }
	out.lines = [0, 1, 2, 3, 4, 5, 6, 7].map(function (i) { return ratio(w.rgbOf("--c" + i), card); });

	out.panels = Array.from(d.querySelectorAll(".panel"), function (p, i) {
		var keys = Array.from(p.querySelectorAll(".keys > span"));
		return {title: p.querySelector("b").textContent, names: keys.map(function (k) { return k.textContent; }), series: w.graphs[i].numColumns() - 1,
			shown: keys.every(function (k) { return k.getClientRects().length > 0; }),
			colours: keys.map(function (k) { return w.getComputedStyle(k.firstChild).borderTopColor; }),
			drawn: w.graphs[i].getColors().map(function (hex) { return "rgb(" + [1, 3, 5].map(function (x) { return parseInt(hex.substr(x, 2), 16); }).join(", ") + ")"; })};
	});
	out.run_keys = Array.from(d.querySelectorAll("#loop .bar .legend i"), function (i) { return w.getComputedStyle(i).backgroundColor; });

	var place = d.querySelector(".map"), svg = place.querySelector("svg"), cells = place.querySelector(".cells");
	var heads = Array.from(place.querySelectorAll(".swhead b"));
	out.map = {
		drawing: svg.getClientRects().length > 0, height: place.getBoundingClientRect().height, over: place.scrollWidth - place.clientWidth,
		cells: cells && cells.getClientRects().length ? cells.querySelectorAll("[data-cell]").length : 0,
		names: heads.map(function (h) { return h.textContent; }),
		smallest: Math.min.apply(null, heads.map(function (h) { return parseFloat(w.getComputedStyle(h).fontSize); }).concat([99])),
		cell_width: Math.min.apply(null, Array.from(place.querySelectorAll("[data-cell]"), function (i) { return i.getBoundingClientRect().width; }).concat([99])),
		colours: Array.from(new Set(Array.from(place.querySelectorAll("[data-cell]"), function (i) { return w.getComputedStyle(i).backgroundColor; }))).length,
		first: heads.length ? w.getComputedStyle(place.querySelector("[data-cell]")).backgroundColor : "", hottest: w.rgbText(w.heatRgb(1, stops)).replace(/,/g, ", "),
		hot_word: heads.length ? heads[0].nextSibling.textContent : "",
	};
	var view = svg.getAttribute("viewBox").split(" ").map(Number);
	out.outside = !out.map.drawing ? [] : Array.from(svg.querySelectorAll("path"), function (p) {
		var b = p.getBBox(), half = parseFloat(w.getComputedStyle(p).strokeWidth) / 2;
		return Math.max(view[1] - (b.y - half), b.y + b.height + half - view[1] - view[3]);
	}).filter(function (x) { return x > 0; });

	out.bars = Array.from(d.querySelectorAll("table.slow .stack"), function (b) {
		var r = b.getBoundingClientRect();
		return [Math.round(r.left), Math.round(r.right), Math.round(r.width)];
	});
	out.buttons = Array.from(d.querySelectorAll("#map button"), function (b) { return b.textContent; }).filter(function (s) { return /^Show/.test(s); });
	out.hosts = Array.from(d.querySelectorAll("#map table tbody tr")).map(function (r) { return Array.from(r.cells, function (x) { return x.textContent; }); })
		.filter(function (r) { return /^host/.test(r[0]); });
	out.changes = {};
	Array.from(d.querySelectorAll("#figures tbody tr")).forEach(function (r) {
		var s = r.cells.length > 2 && r.cells[2].querySelector("span span");
		if (s) out.changes[r.cells[0].textContent] = [s.textContent, s.className];
	});
	out.circle = Array.from(d.querySelectorAll("#pauses .tree > li:first-child .leafline"), function (x) { return x.textContent; });
	return out;
}
