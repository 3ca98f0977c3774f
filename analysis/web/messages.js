// SPDX-License-Identifier: Apache-2.0
// Why messages were slow: what their time went into.
"use strict";

var parts = [
	["alone on its path", "--c2"],
	["paused by PFC", "--c1"],
	["recovering from loss", "--bad"],
	["held back by congestion control", "--c0"],
	["waiting in queues", "--c4"],
];

function partLegend() {
	return legend(parts.map(function (p) { return [p[0], "var(" + p[1] + ")"]; }));
}

// values: five numbers; whole: what the full width stands for
function stack(values, whole, words) {
	return node("div", {class: "stack", role: "img", "aria-label": words}, values.map(function (v, i) {
		return node("i", {style: "width:" + (whole > 0 ? Math.max(0, v / whole * 100) : 0).toFixed(3) + "%;background:var(" + parts[i][1] + ")"});
	}));
}

function wordsOf(values, unit) {
	return values.map(function (v, i) { return [v, parts[i][0]]; }).filter(function (p) { return p[0] > 0; })
		.map(function (p) { return p[1] + " " + unit(p[0]); }).join("\n");
}

function withTip(e, words) {
	e.onpointermove = function (event) { showTip(event, words); };
	e.onpointerleave = hideTip;
	return e;
}

function whereRow(title, w) {
	var values = list(w).slice(1);
	return node("div", {style: "margin:0 0 10px"}, [
		node("div", {class: "small"}, [title, node("span", {class: "soft"}, "  " + plural(w[0], "message"))]),
		withTip(stack(values, 1, title + ": " + wordsOf(values, percent)), wordsOf(values, percent)),
	]);
}

// Messages that were paused though neither end of theirs is where the pause began.
function victimRows(run, found) {
	return list(at(run, "cdf.paused")).map(function (m) { return [m, victimOf(run, found, m)]; })
		.filter(function (v) { return v[1] && v[0][12] >= 0.1 * v[0][8]; }).slice(0, 12)
		.map(function (v) {
			var m = v[0];
			return [text(m[1]), text(m[2]), bytes(m[6]), us(m[7]), us(m[8]), us(m[12]), node("td", {class: "l wrap"}, "the pause that began at " + v[1])];
		});
}

function showMessages(run) {
	var found = treesOf(run), victims = victimRows(run, found);
	var cdf = run.cdf || {}, rows = list(cdf.slowest), where = list(cdf.where);
	if (!rows.length) return section("slow", "Slowest messages", null, node("p", {class: "empty"}, "No message completed."));
	function victim(m) {
		var where = m[12] >= 0.1 * m[8] ? victimOf(run, found, m) : "";
		return where ? node("div", {class: "small soft"}, "victim of the pause that began at " + where) : null;
	}
	var longest = Math.max.apply(null, rows.map(function (m) { return m[8]; }));
	return section("slow", "Slowest messages, and why", "What the time from post to last ACK went into. The longest delays beyond what the message takes alone come first.", [
		partLegend(),
		where.length === 2 ? whereRow("All messages together", where[0]) : null,
		where.length === 2 ? whereRow("The hundredth that lost most", where[1]) : null,
		node("div", {style: "height:8px"}),
		table([["from", true], ["to", true], ["bytes"], ["posted"], ["FCT"], ["slowdown"], ["sent again"], ["why", true]], rows.map(function (m) {
			var values = m.slice(11, 16), words = wordsOf(values, us);
			function cell(name, value, left) { return node("td", {class: left ? "l" : null, "data-name": name}, value); }
			return [cell("from", text(m[1]), true), cell("to", text(m[2]), true), cell("bytes", bytes(m[6])), cell("posted", us(m[7])), cell("FCT", us(m[8])),
				cell("slowdown", ratio(m[9])), cell("sent again", count(m[10])),
				node("td", {class: "l barcell"}, [withTip(stack(values, longest, words), words), victim(m)])];
		}), {class: "slow"}),
		victims.length ? node("div", {id: "victims", style: "margin-top:14px"}, [node("h3", {}, "Victims of pauses"),
			node("p", {class: "lead"}, "Their receivers were not the cause: they stood behind traffic to where the pause began. One message of each pair, the longest paused."),
			table([["from", true], ["to", true], ["bytes"], ["posted"], ["FCT"], ["paused"], ["victim of", true]], victims)]) : null,
	]);
}
