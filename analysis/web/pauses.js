// SPDX-License-Identifier: Apache-2.0
// Pauses as trees: at the root a port that could not keep up, below it whom that made others stop.
"use strict";

// [node, port, peer, peer port, priority, cause port, cause peer, kind, xoffs, first, held, peer is a host]
function pauseTrees(rows) {
	var by_cause = {}, roots = {}, order = [], reached = {};
	rows.forEach(function (r, i) {
		if (r[7] === 1) (by_cause[[r[0], r[5], r[4]]] = by_cause[[r[0], r[5], r[4]]] || []).push(i);
	});
	function below(i, path) {
		var r = rows[i], key = [r[2], r[3], r[4]];
		reached[i] = true;
		if (path.indexOf(i) >= 0) return {row: r, cycle: true, children: []};
		return {row: r, children: (by_cause[key] || []).map(function (k) { return below(k, path.concat([i])); })};
	}
	function root(key, title, i) {
		if (!roots[key]) { roots[key] = {title: title, children: [], held: 0, first: Infinity}; order.push(roots[key]); }
		roots[key].children.push(below(i, []));
		roots[key].held += rows[i][10];
		roots[key].first = Math.min(roots[key].first, rows[i][9]);
	}
	rows.forEach(function (r, i) {
		if (r[7] === 0) root("c" + [r[0], r[5], r[4]], "Congestion at " + r[0] + " port " + r[5] + " to " + r[6] + ", priority " + r[4], i);
		if (r[7] === 2) root("f" + [r[0], r[1], r[4]], "Injected by a fault at " + r[0] + ", priority " + r[4], i);
		if (r[7] === 3) root("h" + [r[0], r[1], r[4]], "Slow receiver: " + r[0] + " takes packets too slowly, priority " + r[4], i);
	});
	rows.forEach(function (r, i) {
		if (r[7] === 1 && !reached[i]) root("o", "Paused because of pauses that are not listed", i);
	});
	order.sort(function (a, b) { return b.held - a.held; });
	return order;
}

function size(t) { return t.children.reduce(function (n, c) { return n + 1 + size(c); }, 0); }

function pauseLine(t, most) {
	var r = t.row;
	return [
		node("span", {class: "hold", style: "width:" + Math.max(2, r[10] / most * 110).toFixed(0) + "px"}),
		node("b", {}, r[2]), " held by " + r[0] + " port " + r[1] + ": " + us(r[10]) + " in " + plural(r[8], "pause") + " ",
		node("span", {class: "when"}, "first at " + us(r[9]) + (r[11] ? ", a sender" : "") + (t.cycle ? " \u2014 a cycle: these pauses wait for each other" : "")),
	];
}

function pauseBranch(children, most, depth, limit) {
	children.sort(function (a, b) { return b.row[10] - a.row[10]; });
	var out = node("ul", {}), shown = children.slice(0, limit), rest = children.slice(limit);
	shown.forEach(function (t) {
		out.appendChild(node("li", {}, t.children.length
			? node("details", depth < 3 ? {open: ""} : {}, [node("summary", {}, pauseLine(t, most)), pauseBranch(t.children, most, depth + 1, 12)])
			: node("div", {class: "leafline"}, pauseLine(t, most))));
	});
	if (rest.length) {
		var li = node("li", {class: "leafline"}, node("button", {type: "button", onclick: function () {
			out.removeChild(li);
			Array.from(pauseBranch(rest, most, depth, rest.length).childNodes).forEach(function (c) { out.appendChild(c); });
		}}, "and " + rest.length + " more"));
		out.appendChild(li);
	}
	return out;
}

function showPauses(run) {
	var rows = list(at(run, "pauses.rows")), all = at(run, "pauses.all");
	if (!rows.length)
		return section("pauses", "Who paused whom", null, node("p", {class: "empty"}, "No PFC frame asked anybody to stop."));
	var most = rows.reduce(function (m, r) { return Math.max(m, r[10]); }, 1e-9);
	var trees = pauseTrees(rows);
	return section("pauses", "Who paused whom",
		"Each tree begins with the port that could not keep up, or with the fault. Below it: whom that made its neighbours hold back, and whom these held back in turn.", [
			node("ul", {class: "tree"}, trees.slice(0, 20).map(function (t, i) {
				return node("li", {}, node("details", i < 4 ? {open: ""} : {}, [
					node("summary", {}, [node("b", {}, t.title), node("span", {class: "when"}, "  held others for " + us(t.held) + " in all, from " + us(t.first) + " on; " + plural(size(t), "pause", "pauses") + " in this tree")]),
					pauseBranch(t.children, most, 1, 12)]));
			})),
			all > rows.length || trees.length > 20 ? node("p", {class: "soft small"}, "The longest " + rows.length + " of " + count(all) + " pairs of cause and pause; pfc.csv holds the events.") : null,
		]);
}
