// SPDX-License-Identifier: Apache-2.0
// What the diagnosis found, as trees: at the root what is wrong, below it what follows from that.
"use strict";

var severities = {error: ["bad", "error"], warning: ["warn", "warning"], info: ["", "note"]};

function severityOf(f) { return severities[f.severity] || severities.info; }

// A value with the unit that its name ends in.
function figureOf(name, v) {
	if (!isNumber(v)) return text(v);
	if (/_ns$/.test(name)) return us(v / 1000);
	if (/_us$/.test(name)) return us(v);
	if (/_bps$/.test(name)) return rate(v);
	if (/_bytes$/.test(name)) return bytes(v);
	if (/_permille$/.test(name)) return percent(v / 1000);
	return count(v);
}

function evidenceOf(f, one_file) {
	var e = f.evidence || {}, rows = [], packets = list(e.packets);
	Object.keys(e.figures || {}).forEach(function (k) {
		rows.push(node("span", {}, [node("span", {class: "soft"}, k.replace(/_(ns|us|bps|bytes|permille)$/, "").replace(/_/g, " ") + " "), figureOf(k, e.figures[k])]));
	});
	return [
		rows.length ? node("div", {class: "facts"}, rows) : null,
		packets.length ? node("div", {class: "small soft"}, "First packets: " + packets.map(function (p) {
			return "frame " + count(p.number) + (p.file && one_file !== true ? " of " + text(p.file) : "");
		}).join(", ")) : null,
		list(e.interfaces).length ? node("div", {class: "small soft"}, "At: " + list(e.interfaces).map(function (i) { return text(i.name) || "interface " + i.index; }).join(", ")) : null,
		list(e.flows).length ? node("div", {class: "small soft"}, "Flows: " + list(e.flows).map(function (w) { return text(w.src) + " \u2192 " + text(w.dst) + " QP " + qpText(w.dqp); }).join(", ")) : null,
	];
}

function findingNode(f, below, depth, one_file) {
	var s = severityOf(f), kids = below[f.name] || [];
	var body = [
		node("div", {class: "finding-text"}, text(f.text || (f.evidence || {}).text)),
	].concat(evidenceOf(f, one_file), [
		f.advice ? node("div", {class: "advice"}, [node("b", {}, "What to do: "), text(f.advice)]) : null,
		kids.length ? node("ul", {}, kids.map(function (k) { return node("li", {}, findingNode(k, below, depth + 1, one_file)); })) : null,
	]);
	return node("details", depth < 1 || s[0] === "bad" ? {open: ""} : {}, [
		node("summary", {}, [node("span", {class: "badge " + s[0]}, s[1]), node("b", {}, text(f.title || f.name)), " ",
			depth ? node("span", {class: "when"}, "follows from " + text(f.caused_by)) : node("code", {class: "soft"}, text(f.name))])].concat(body));
}

function showFindings(c) {
	var all = list(c.findings), below = {}, names = {}, roots;
	all.forEach(function (f) { names[f.name] = true; });
	roots = all.filter(function (f) {
		if (f.caused_by == null || !names[f.caused_by] || f.caused_by === f.name) return true;
		(below[f.caused_by] = below[f.caused_by] || []).push(f);
		return false;
	});
	if (!all.length) return null;
	return section("findings", "Findings", "What is wrong comes first; below it what follows from it. squall analyze --explain NAME says more on each.",
		node("ul", {class: "tree findings"}, roots.map(function (f) { return node("li", {}, findingNode(f, below, 0, list(c.files).length < 2)); })));
}
