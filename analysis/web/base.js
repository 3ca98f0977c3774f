// SPDX-License-Identifier: Apache-2.0
// Elements and numbers. Every text goes through createTextNode: names come from files of others.
"use strict";

var NONE = "\u2013";

function node(tag, attributes, children) {
	var e = document.createElement(tag), k;
	for (k in attributes || {}) {
		if (k === "onclick" || k === "onchange" || k === "oninput") e[k] = attributes[k];
		else if (attributes[k] != null) e.setAttribute(k, attributes[k]);
	}
	append(e, children);
	return e;
}

function shape(tag, attributes, children) {
	var e = document.createElementNS("http://www.w3.org/2000/svg", tag), k;
	for (k in attributes || {}) if (attributes[k] != null) e.setAttribute(k, attributes[k]);
	append(e, children);
	return e;
}

function append(e, children) {
	if (children == null) return;
	if (!Array.isArray(children)) children = [children];
	children.forEach(function (c) {
		if (c == null) return;
		e.appendChild(c instanceof Node ? c : document.createTextNode(String(c)));
	});
}

function clear(e) { while (e.firstChild) e.removeChild(e.firstChild); }
function list(x) { return Array.isArray(x) ? x : []; }
function isNumber(x) { return typeof x === "number" && isFinite(x); }
function text(x) { return x == null ? "" : String(x); }
function css(name) { return getComputedStyle(document.documentElement).getPropertyValue(name).trim(); }
function colour(i) { return "var(--c" + i % 8 + ")"; }

// Four digits or so, as on the terminal.
function digits(x) {
	var a = Math.abs(x);
	if (a >= 1000) return String(Math.round(x)).replace(/\B(?=(\d{3})+$)/g, "\u202f");
	if (a === 0 || (Number.isInteger(x) && a < 1000)) return String(x);
	return String(parseFloat(x.toPrecision(a >= 100 ? 4 : a >= 1 ? 4 : 3)));
}

function scaled(x, steps) {
	if (!isNumber(x)) return NONE;
	var a = Math.abs(x), i = steps.length - 1;
	while (i > 0 && a < steps[i][0] * 0.9995) i--;
	return digits(x / steps[i][0]) + (steps[i][1] ? "\u00a0" + steps[i][1] : "");
}

function us(x) { return scaled(x, [[1e-3, "ns"], [1, "\u00b5s"], [1e3, "ms"], [1e6, "s"]]); }
function bytes(x) { return scaled(x, [[1, "B"], [1e3, "KB"], [1e6, "MB"], [1e9, "GB"], [1e12, "TB"]]); }
function rate(x) { return scaled(x, [[1, "bps"], [1e3, "Kbps"], [1e6, "Mbps"], [1e9, "Gbps"], [1e12, "Tbps"]]); }
function count(x) { return isNumber(x) ? digits(x) : NONE; }
function big(x) { return scaled(x, [[1, ""], [1e6, "M"], [1e9, "G"]]); }
function ratio(x) { return isNumber(x) ? digits(x) + "\u00d7" : NONE; }
function percent(x) { return isNumber(x) ? digits(x * 100) + "\u00a0%" : NONE; }
function plural(n, one, many) { return count(n) + " " + (n === 1 ? one : many || one + "s"); }

function at(o, path) {
	return path.split(".").reduce(function (v, k) { return v == null ? undefined : v[k]; }, o);
}

function section(id, title, lead, children) {
	return node("section", {id: id, "aria-labelledby": id + "-h"},
		[node("h2", {id: id + "-h"}, title), lead ? node("p", {class: "lead"}, lead) : null].concat(children || []));
}

// columns: [title, left?]; rows: arrays of text or nodes.
function table(columns, rows, attributes) {
	return node("div", {class: "scroll"}, node("table", attributes, [
		node("thead", {}, node("tr", {}, columns.map(function (c) {
			return node("th", {class: c[1] ? "l" : null, scope: "col"}, c[0]);
		}))),
		node("tbody", {}, rows.map(function (r) {
			return r instanceof Node ? r : node("tr", {}, r.map(function (v, i) {
				return v instanceof Node && v.tagName === "TD" ? v : node("td", {class: columns[i][1] ? "l" : null}, v);
			}));
		})),
	]));
}

function legend(entries) {
	return node("div", {class: "legend"}, entries.map(function (e) {
		return node("span", {}, [node("i", {style: "background:" + e[1]}), e[0]]);
	}));
}

// A row of buttons of which one is pressed.
function choice(names, current, chosen) {
	var buttons = names.map(function (name, i) {
		return node("button", {type: "button", "aria-pressed": String(i === current), onclick: function () {
			buttons.forEach(function (b, k) { b.setAttribute("aria-pressed", String(k === i)); });
			chosen(i);
		}}, name);
	});
	return buttons;
}

var tip = null;
function showTip(event, words) {
	if (!tip) document.body.appendChild(tip = node("div", {class: "tip", role: "status"}));
	tip.textContent = words;
	tip.style.display = "block";
	var box = tip.getBoundingClientRect();
	tip.style.left = Math.max(4, Math.min(event.clientX + 14, innerWidth - box.width - 6)) + "px";
	tip.style.top = Math.max(4, Math.min(event.clientY + 16, innerHeight - box.height - 6)) + "px";
}
function hideTip() { if (tip) tip.style.display = "none"; }

// Draws again when the width of the place changes.
var redraws = [];
function drawn(place, draw) {
	var width = 0;
	function again() {
		var w = Math.floor(place.clientWidth);
		if (w && w !== width) { width = w; clear(place); draw(w); }
	}
	redraws.push(again);
	// in a frame of its own: drawing changes the height, which an observer must not do
	if (window.ResizeObserver) new ResizeObserver(function () { requestAnimationFrame(again); }).observe(place);
	return place;
}
