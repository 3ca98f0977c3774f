// SPDX-License-Identifier: Apache-2.0
// Colours of heat, and the ink that is legible on them.
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

function worse(heat, l, run) { return Math.max(heat.of(l[6], l, run), heat.of(l[7], l, run)); }

// Red, green and blue of a variable of the style sheet that is written #rrggbb.
function rgbOf(name) {
	var hex = css(name);
	return [1, 3, 5].map(function (i) { return parseInt(hex.substr(i, 2), 16); });
}

// WCAG 2: relative luminance, and the contrast of two colours (1 to 21).
function luminance(c) {
	var s = c.map(function (x) { x /= 255; return x <= 0.04045 ? x / 12.92 : Math.pow((x + 0.055) / 1.055, 2.4); });
	return 0.2126 * s[0] + 0.7152 * s[1] + 0.0722 * s[2];
}

function contrast(a, b) {
	var x = luminance(a) + 0.05, y = luminance(b) + 0.05;
	return x > y ? x / y : y / x;
}

// Black or white: one of them has 4.5 or more on every colour.
function inkOn(c) { return contrast(c, [0, 0, 0]) >= contrast(c, [255, 255, 255]) ? [0, 0, 0] : [255, 255, 255]; }
function rgbText(c) { return "rgb(" + c.map(Math.round).join(",") + ")"; }

// The colours of the theme at hand. Asked for once per painting: style is worked out anew when it is read
// after a change.
function heatScale() {
	return [[0, rgbOf("--heat-none")], [0.4, rgbOf("--heat-low")], [0.7, rgbOf("--heat-mid")], [1, rgbOf("--heat-high")]];
}

// The colour of a share of the most, 0 to 1.
function heatRgb(f, stops) {
	var i = 1, a, b, g;
	f = f > 0 ? Math.sqrt(Math.min(1, f)) : 0;
	while (i < 3 && f > stops[i][0]) i++;
	a = stops[i - 1][1];
	b = stops[i][1];
	g = (f - stops[i - 1][0]) / (stops[i][0] - stops[i - 1][0]);
	return a.map(function (x, k) { return x + (b[k] - x) * g; });
}

// Words on both directions of a link.
function say(l, nodes, run) {
	function way(from, to, h, host) {
		var words = [];
		if (!host) words.push("queue up to " + bytes(h[0]), count(h[2]) + " marked");
		if (h[3]) words.push(count(h[3]) + " dropped");
		words.push("paused " + us(h[1]));
		if (h[5]) words.push(count(h[5]) + " XOFF frames sent");
		if (h[4]) words.push(percent(heats[3].of(h, l, run)) + " used");
		return from + " \u2192 " + to + ": " + words.join(", ");
	}
	var a = nodes[l[0]], b = nodes[l[1]];
	return [(l[2] > 1 ? l[2] + " cables of " : "") + rate(l[3]) + ", " + us(l[4]) + (l[5] ? " (not all alike)" : ""),
		way(a[0], b[0], l[6], a[1] === 0), way(b[0], a[0], l[7], b[1] === 0)].join("\n");
}
