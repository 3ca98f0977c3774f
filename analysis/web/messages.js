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

function showMessages(run) {
	var cdf = run.cdf || {}, rows = list(cdf.slowest), where = list(cdf.where);
	if (!rows.length) return section("slow", "Slowest messages", null, node("p", {class: "empty"}, "No message completed."));
	var longest = Math.max.apply(null, rows.map(function (m) { return m[8]; }));
	return section("slow", "Slowest messages, and why", "What the time from post to last ACK went into. The longest delays beyond what the message takes alone come first.", [
		partLegend(),
		where.length === 2 ? whereRow("All messages together", where[0]) : null,
		where.length === 2 ? whereRow("The hundredth that lost most", where[1]) : null,
		node("div", {style: "height:8px"}),
		table([["from", true], ["to", true], ["bytes"], ["posted"], ["FCT"], ["slowdown"], ["sent again"], ["why", true]], rows.map(function (m) {
			var values = m.slice(11, 16), words = wordsOf(values, us);
			return [text(m[1]), text(m[2]), bytes(m[6]), us(m[7]), us(m[8]), ratio(m[9]), count(m[10]),
				node("td", {class: "l barcell"}, withTip(stack(values, longest, words), words))];
		}), {class: "slow"}),
	]);
}
