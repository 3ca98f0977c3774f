// SPDX-License-Identifier: Apache-2.0
// Flows, messages, recoveries, interfaces and paths of a capture.
"use strict";

function qpText(v) { return isNumber(v) ? "0x" + v.toString(16) : "?"; }
function some(v) { return v ? count(v) : "0"; }
function share(v) { return v === 0 ? "0" : percent(v); }
function pick(i) { return function (row) { return row[i]; }; }
function asCode(v) { return text(v); }

var flowColumns = [
	{title: "from", left: true, of: pick(1), say: asCode},
	{title: "QP", of: pick(3), say: qpText},
	{title: "to", left: true, of: pick(2), say: asCode},
	{title: "QP", of: pick(4), say: qpText},
	{title: "", left: true, of: pick(5), say: asCode},
	{title: "payload", of: pick(10), say: bytes},
	{title: "messages", of: pick(11), say: some},
	{title: "goodput", of: pick(21), say: rate},
	{title: "CE", of: function (r) { return r[9] ? r[12] / r[9] : null; }, say: share},
	{title: "CNPs", of: pick(13), say: some},
	{title: "again", of: pick(14), say: some},
	{title: "gaps", of: pick(15), say: some},
	{title: "NAK", of: pick(17), say: some},
	{title: "RNR", of: pick(18), say: some},
	{title: "timeout", of: pick(19), say: some},
	{title: "packet to ACK", of: pick(22), say: us},
	{title: "mean net FCT", of: pick(24), say: us},
	{title: "longest", of: pick(25), say: us},
	{title: "latency", of: pick(26), say: us},
	{title: "DSCP", of: pick(7), say: text},
	{title: "UDP port", of: pick(6), say: text},
	{title: "from", of: pick(27), say: us},
	{title: "until", of: pick(28), say: us},
];

// Columns that say nothing of any row stay away.
function spoken(columns, rows, always) {
	return columns.filter(function (c, i) {
		return i < always || rows.some(function (r) { var v = c.of(r); return v != null && v !== 0; });
	});
}

function showFlows(c) {
	var rows = list(at(c, "flows.rows")), all = at(c, "flows.all") || 0, columns = spoken(flowColumns, rows, 8);
	if (!rows.length) return section("flows", "Flows", null, node("p", {class: "empty"}, "No RoCE data packet is in this capture."));
	return section("flows", "Flows", "One direction of a queue pair each. again: packets whose PSN was shown before; gaps: PSNs that were missing when a later one came; NAK, RNR, timeout: recoveries by their cause.", [
		sortable(columns, rows, {id: "flowtable", sort: 5, rows: 40, filter: "Filter: address, 0xQP", name: "flow"}),
		all > rows.length ? node("p", {class: "soft small"}, "The " + count(rows.length) + " with most payload of " + count(all) + "; squall analyze --csv DIR writes all into flows.csv.") : null,
	]);
}

var messageColumns = [
	{title: "from", left: true, of: pick(1), say: asCode},
	{title: "to", left: true, of: pick(2), say: asCode},
	{title: "QP", of: pick(3), say: qpText},
	{title: "verb", left: true, of: pick(4), say: asCode},
	{title: "bytes", of: pick(5), say: bytes},
	{title: "begins", of: pick(6), say: us},
	{title: "net FCT", of: pick(7), say: us},
	{title: "last packet after", of: pick(8), say: us},
	{title: "goodput", of: function (r) { return r[7] > 0 ? r[5] * 8e6 / r[7] : null; }, say: rate},
	{title: "sent again", left: true, of: pick(9), say: function (v) { return v ? "yes" : ""; }},
	{title: "frame", of: pick(11), say: count},
];

function showSlowest(c) {
	var rows = list(at(c, "messages.rows")), all = at(c, "messages.all") || 0, kept = at(c, "messages.kept") || 0;
	if (!rows.length) return null;
	return section("slow", "Slowest messages", "From the first packet to the ACK that covers the last, as the interface nearest to the sender shows it.", [
		sortable(messageColumns, rows, {sort: 6, rows: 20, filter: "Filter: address, 0xQP", name: "message"}),
		node("p", {class: "soft small"}, (all > rows.length ? "The slowest " + count(rows.length) + " of " + count(all) + ". " : "") +
			(all > kept ? "Of all messages the first " + count(kept) + " were kept." : ""))]);
}

var recoveryColumns = [
	{title: "from", left: true, of: pick(1), say: asCode},
	{title: "to", left: true, of: pick(2), say: asCode},
	{title: "QP", of: pick(3), say: qpText},
	{title: "cause", left: true, of: pick(4), say: asCode},
	{title: "first PSN", of: pick(5), say: text},
	{title: "packets", of: pick(7), say: some},
	{title: "were missing", of: pick(8), say: some},
	{title: "last before", of: pick(9), say: us},
	{title: "stalled for", of: function (r) { return isNumber(r[9]) && isNumber(r[10]) ? r[10] - r[9] : null; }, say: us},
	{title: "lost after", left: true, of: pick(12), say: asCode},
	{title: "before", left: true, of: pick(13), say: asCode},
	{title: "frame", of: pick(11), say: count},
];

function showRecoveries(c) {
	var rows = list(at(c, "recoveries.rows")), all = at(c, "recoveries.all") || 0;
	if (!rows.length) return null;
	return section("recoveries", "Recoveries from loss", "Packets that were sent again, from which PSN on and why. stalled for: from the last packet before to the first that was sent again.", [
		sortable(spoken(recoveryColumns, rows, 8), rows, {sort: 8, rows: 15, filter: "Filter: address, cause", name: "recovery"}),
		all > rows.length ? node("p", {class: "soft small"}, "The " + count(rows.length) + " that stalled longest of " + count(all) + "; recoveries.csv holds all.") : null]);
}

function lossWords(v) { return v == null ? "not counted" : v ? node("b", {class: "bad-ink"}, count(v)) : "0"; }

function showInterfaces(c) {
	var rows = list(at(c, "interfaces.rows")), files = list(c.files), all = at(c, "interfaces.all") || 0, paths = list(at(c, "paths.rows"));
	var from = ["unknown", "", " (given)", " (inferred)"];
	var cut = files.filter(function (f) { return f[3] || f[4]; });
	return section("interfaces", "Interfaces, clocks and losses of the capture", "A packet that the capture lost looks like one that the network lost: look here first.", [
		cut.length ? node("p", {class: "empty"}, cut.map(function (f) { return text(f[0]) + (f[4] ? ": " + text(f[4]) : " is cut off within a packet"); }).join("; ")) : null,
		table([["interface", true], ["file", true], ["frames"], ["speed", true], ["clock", true], ["resolution"], ["lost by the interface"], ["lost by the system"], ["lost between"], ["first"], ["last"], ["busiest 10 \u00b5s"], ["bursts at 90 %"], ["longest"]],
			rows.map(function (r) {
				return [text(r[0]) || "(no name)", files[r[2]] ? text(files[r[2]][0]) : "live", count(r[3]), isNumber(r[6]) ? rate(r[6]) + (from[r[7]] || "") : "unknown",
					text(r[8]) + (r[9] ? " " + text(r[9]) : ""), isNumber(r[10]) ? us(r[10] / 1e3) : NONE, lossWords(r[11]), lossWords(r[12]), lossWords(r[13]), us(r[4]), us(r[5]), r[20] ? rate(r[20]) : NONE, some(r[18]), r[18] ? us(r[19]) : NONE];
			})),
		all > rows.length ? node("p", {class: "soft small"}, "The first " + rows.length + " of " + count(all) + " interfaces.") : null,
		rows.some(function (r) { return isNumber(r[16]); }) ? node("div", {style: "margin-top:14px"}, [node("h3", {}, "Clocks against that of the first file"),
			table([["interface", true], ["offset"], ["drift, ppb"], ["residual"]], rows.filter(function (r) { return isNumber(r[16]); }).map(function (r) {
				return [text(r[0]), us(r[14]), count(r[15]), us(r[16])];
			}))]) : null,
		paths.length ? node("div", {style: "margin-top:14px"}, [node("h3", {}, "Between interfaces that show the same packets"),
			table([["from", true], ["to", true], ["packets at both"], ["lost between"], ["min latency"], ["mean"], ["max"], ["clocks", true]], paths.map(function (p) {
				return [text(p[0]), text(p[1]), count(p[2]), lossWords(p[3]), us(p[4]), us(p[5]), us(p[6]), p[7] ? "one" : "aligned by estimate"];
			}))]) : null,
	]);
}
