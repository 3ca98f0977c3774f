// SPDX-License-Identifier: Apache-2.0
// A long table: sorted by any column, filtered by words, some rows at a time.
"use strict";

// columns: {title, of: value of a row, say: words or a node of the value and row, left?, words?: found by the filter}
// options: id, rows at first, sort (index), up, filter (label), name of the rows
function sortable(columns, rows, options) {
	var by = options.sort || 0, up = !!options.up, limit = options.rows || 50, wanted = "";
	var head = node("tr", {}), body = node("tbody", {}), note = node("p", {class: "soft small"});
	var input = options.filter ? node("input", {type: "search", placeholder: options.filter, "aria-label": options.filter, oninput: function () {
		wanted = input.value.trim().toLowerCase();
		draw();
	}}) : null;
	function key(v) { return v == null ? null : v; }
	function compare(a, b) {
		var x = key(columns[by].of(a)), y = key(columns[by].of(b));
		if (x === y) return 0;
		if (x === null || y === null) return x === null ? 1 : -1; // nothing is last both ways
		return (x < y ? -1 : 1) * (up ? 1 : -1);
	}
	function matches(row) {
		var all = columns.map(function (c) { return c.words === false ? "" : text(c.say(c.of(row), row, true)); }).join(" ").toLowerCase();
		return wanted.split(/\s+/).every(function (w) { return all.indexOf(w) >= 0; });
	}
	function heads() {
		clear(head);
		columns.forEach(function (c, i) {
			head.appendChild(node("th", {class: c.left ? "l" : null, scope: "col", "aria-sort": i === by ? (up ? "ascending" : "descending") : null},
				node("button", {type: "button", onclick: function () {
					up = i === by ? !up : !!c.left;
					by = i;
					heads();
					draw();
				}}, c.title + (i === by ? (up ? "\u00a0\u2191" : "\u00a0\u2193") : ""))));
		});
	}
	function draw() {
		var found = (wanted ? rows.filter(matches) : rows.slice()).sort(compare);
		clear(body);
		found.slice(0, limit).forEach(function (row) {
			body.appendChild(node("tr", {}, columns.map(function (c) {
				var v = c.say(c.of(row), row);
				return v instanceof Node && v.tagName === "TD" ? v : node("td", {class: c.left ? "l" : null}, v);
			})));
		});
		clear(note);
		append(note, [(wanted ? plural(found.length, options.name) + " of " + count(rows.length) + " match. " : "") +
			(found.length > limit ? "The first " + count(limit) + " are shown. " : ""),
		found.length > limit ? node("button", {type: "button", onclick: function () { limit *= 10; draw(); }}, "Show " + count(Math.min(limit * 10, found.length))) : null]);
	}
	heads();
	draw();
	return node("div", {id: options.id}, [input ? node("div", {class: "bar"}, [input]) : null,
		node("div", {class: "scroll"}, node("table", {class: "dense"}, [node("thead", {}, head), body])), note]);
}
