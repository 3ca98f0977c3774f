// SPDX-License-Identifier: Apache-2.0
// Pauses as trees: at the root a port that could not keep up, below it whom that made others stop.
"use strict";

// [node, port, peer, peer port, priority, cause port, cause peer, kind, xoffs, first, held, peer is a host]
var MARKS = 1e-6; // times are exact to a picosecond, in microseconds

// For each row that other pauses caused the one that began it: of those of its cause the longest that
// began before it, so that each row stands once.
function beganBy(rows) {
	var asks = {}; // rows by the port that they hold
	rows.forEach(function (r, i) { var k = [r[2], r[3], r[4]]; (asks[k] = asks[k] || []).push(i); });
	return rows.map(function (r, i) {
		if (r[7] !== 1) return -1;
		var all = (asks[[r[0], r[5], r[4]]] || []).filter(function (k) { return k !== i; });
		var before = all.filter(function (k) { return rows[k][9] <= r[9] + MARKS; });
		return (before.length ? before : all).reduce(function (best, k) { return best < 0 || rows[k][10] > rows[best][10] ? k : best; }, -1);
	});
}

// The rows of a deadlock: the pauses that hold its queues. hops: [time, [node, peer, priority] ...]
function rowsOfCycle(rows, hops) {
	return hops.slice(1).reduce(function (out, h) {
		rows.forEach(function (r, i) { if (r[2] === h[0] && r[0] === h[1] && r[4] === h[2] && out.indexOf(i) < 0) out.push(i); });
		return out;
	}, []);
}

function rootOf(r, faults) {
	var name = "pfc_storm " + r[0];
	if (r[7] === 0) return {key: "c" + [r[0], r[5], r[4]], title: "Congestion at " + r[0] + " port " + r[5] + " to " + r[6] + ", priority " + r[4], at: r[0] + " port " + r[5], end: r[6]};
	if (r[7] === 2) return {key: "f" + [r[0], r[1], r[4]], title: "Injected by " + (faults.indexOf(name) >= 0 ? name : "a fault at " + r[0]) + ", priority " + r[4],
		at: faults.indexOf(name) >= 0 ? name : r[0], end: r[0], storm: true};
	if (r[7] === 3) return {key: "h" + [r[0], r[1], r[4]], title: "Slow receiver: " + r[0] + " takes packets too slowly, priority " + r[4], at: r[0], end: r[0]};
	return {key: "o", title: "Paused because of pauses that are not listed", at: null, end: null};
}

// Trees, those that held others longest first; rows[i].root of the result's `of` is the root of row i.
function pauseTrees(rows, dead, faults) {
	var parent = beganBy(rows), below = rows.map(function () { return []; }), in_cycle = {}, roots = {}, order = [], of = [];
	list(dead).forEach(function (d) {
		var members = rowsOfCycle(rows, d).filter(function (i) { return in_cycle[i] == null; });
		if (!members.length) return;
		order.push({title: "Deadlock seen at " + us(d[0]) + ": each of these pauses waits for the next", children: [], held: Infinity, first: Infinity, dead: members.map(function (i) { return rows[i]; })});
		members.forEach(function (i) { in_cycle[i] = order[order.length - 1]; });
	});
	// those of a circle of pauses that is no deadlock begin with the first of them
	rows.forEach(function (r, i) {
		var seen = {}, k = i;
		while (k >= 0 && !seen[k] && in_cycle[k] == null) { seen[k] = true; k = parent[k]; }
		if (k < 0 || in_cycle[k] != null) return;
		var first = k, at = parent[k];
		while (at !== k) { if (rows[at][9] < rows[first][9]) first = at; at = parent[at]; }
		parent[first] = -1;
		rows[first].circle = true;
	});
	rows.forEach(function (r, i) { if (in_cycle[i] == null && parent[i] >= 0) below[parent[i]].push(i); });
	function grow(i, root) {
		of[i] = root;
		root.first = Math.min(root.first, rows[i][9]);
		return {row: rows[i], cycle: rows[i].circle, children: below[i].map(function (k) { return grow(k, root); })};
	}
	rows.forEach(function (r, i) {
		var root = in_cycle[i], to;
		if (root == null && parent[i] >= 0) return;
		if (root == null) {
			to = rootOf(r, faults);
			if (!roots[to.key]) { to.children = []; to.held = 0; to.first = Infinity; order.push(roots[to.key] = to); }
			root = roots[to.key];
			root.held += r[10];
		}
		root.children.push(grow(i, root));
	});
	order.forEach(function (t) {
		if (t.dead) t.children.sort(function (a, b) { return t.dead.indexOf(a.row) - t.dead.indexOf(b.row); });
	});
	order.sort(function (a, b) { return a.held === b.held ? 0 : b.held - a.held; });
	return {trees: order, of: of};
}

function treesOf(run) {
	return pauseTrees(list(at(run, "pauses.rows")), run.deadlock, list(run.fault).map(function (f) { return text(f[4]); }));
}

// Where the pause began that held a message up longest although its receiver was not the cause; "" if it is
// none. A root inside the fabric may lie on the message's way: not known.
function victimOf(run, found, m) {
	var held = [], most = null;
	list(at(run, "pauses.rows")).forEach(function (r, i) {
		var root = found.of[i], known = held.filter(function (h) { return h[0] === root; })[0];
		if (r[2] !== m[1] || !r[11] || r[4] !== m[5] || !root) return;
		if (!known) held.push(known = [root, 0]);
		known[1] += r[10];
	});
	held.forEach(function (h) { if (!most || h[1] > most[1]) most = h; });
	return most && most[0].end !== m[2] && hostNamed(run, most[0].end) ? most[0].at : "";
}

// A host has no tier below it: it is told what to do, or is the cause itself.
function hostNamed(run, name) {
	if (!run.host_named) {
		run.host_named = {};
		list(at(run, "pauses.rows")).forEach(function (r) {
			if (r[11]) run.host_named[r[2]] = true;
			if (r[7] === 2 || r[7] === 3) run.host_named[r[0]] = true;
		});
		list(at(run, "cdf.slowest")).concat(list(at(run, "cdf.paused"))).forEach(function (m) { run.host_named[m[1]] = run.host_named[m[2]] = true; });
	}
	return run.host_named[name];
}

function sizeOf(t) {
	return t.children.reduce(function (n, c) { var s = sizeOf(c); return [n[0] + c.row[8] + s[0], n[1] + 1 + s[1]]; }, [0, 0]);
}

function treeSize(t) {
	var n = sizeOf(t);
	return plural(n[0], "pause") + " of " + plural(n[1], "port") + " in this tree";
}

function pauseLine(t, most) {
	var r = t.row;
	return [
		node("span", {class: "hold", style: "width:" + Math.max(2, r[10] / most * 110).toFixed(0) + "px"}),
		node("b", {}, r[2]), " held by " + r[0] + " port " + r[1] + ": " + us(r[10]) + " in " + plural(r[8], "pause") + " ",
		node("span", {class: "when"}, "first at " + us(r[9]) + (r[11] ? ", a sender" : "") + (t.cycle ? " \u2014 a cycle: these pauses wait for each other" : "")),
	];
}

function pauseBranch(children, most, depth, limit, dead) {
	if (!dead) children.sort(function (a, b) { return b.row[10] - a.row[10]; });
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
	var trees = treesOf(run).trees;
	return section("pauses", "Who paused whom",
		"Each tree begins with the port that could not keep up, or with the fault. Below it: whom that made its neighbours hold back, and whom these held back in turn.", [
			node("ul", {class: "tree"}, trees.slice(0, 20).map(function (t, i) {
				return node("li", {}, node("details", i < 4 ? {open: ""} : {}, [
					node("summary", {}, [node("b", {}, t.title), node("span", {class: "when"}, (t.dead ? "  for good" : "  held others for " + us(t.held) + " in all" + (t.storm ? ", to its last frame" : "")) + ", from " + us(t.first) + " on; " + treeSize(t))]),
					pauseBranch(t.children, most, 1, t.dead ? t.dead.length : 12, t.dead),
					t.dead && t.dead[t.dead.length - 1][0] === t.dead[0][2] ? node("div", {class: "leafline when"}, "\u21ba " + t.dead[0][2] + " is held as the first line says: the circle is closed") : null]));
			})),
			all > rows.length || trees.length > 20 ? node("p", {class: "soft small"}, "The longest " + rows.length + " of " + count(all) + " pairs of cause and pause; pfc.csv holds the events.") : null,
		]);
}
