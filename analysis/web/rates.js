// SPDX-License-Identifier: Apache-2.0
// What single senders sent next to what a DCQCN reaction point would have allowed them.
"use strict";

var ratePanel = {title: "Rate of the sender", unit: rate, lines: [
	["on the wire", function (r) {
		return r.series.wire_bytes.map(function (b) { return b * 8e6 / r.series.width_us; });
	}, 0],
	["DCQCN model", function (r) { return r.series.model_bps; }, 1],
]};

// The model's rate holds until the next packet or CNP.
function heldOver(values) {
	var last = null;
	return values.map(function (v) { last = isNumber(v) ? v : last; return last; });
}

function showRates(c) {
	var rows = list(at(c, "rates.rows")), all = at(c, "rates.all") || 0, place = node("div", {}), note = node("p", {class: "soft small"});
	if (!rows.length) return null;
	var select = node("select", {"aria-label": "flow", onchange: function () { draw(rows[Number(select.value)]); }}, rows.map(function (r, i) {
		return node("option", {value: i}, r.src + " \u2192 " + r.dst + " QP " + qpText(r.dqp) + ", " + plural(r.cnps, "CNP"));
	}));
	function draw(r) {
		var run = {label: "", marks: [], series: {width_us: r.width_us, wire_bytes: list(r.wire_bytes), model_bps: heldOver(list(r.model_bps)),
			t_us: list(r.wire_bytes).map(function (x, i) { return r.start_us + (i + 1) * r.width_us; })}};
		single_graphs.forEach(function (g) { g.destroy(); });
		clear(place);
		single_graphs = [makePanel(place, ratePanel, [run], true)];
		note.textContent = "From its first CNP on, in steps of " + us(r.width_us) + (r.at ? ", as seen at " + r.at : "") +
			(isNumber(r.of_model_permille) ? ". Within messages it sends at " + percent(r.of_model_permille / 1000) + " of the model's rate on average." : ".");
	}
	var out = section("rates", "Senders next to a DCQCN model", "A reaction point with ConnectX defaults, fed with the CNPs and packets of this capture. A sender above it does not obey its CNPs as that would; one below it may have had nothing to send, or was paused.", [
		node("div", {class: "bar"}, [select]), place, note,
		all > rows.length ? node("p", {class: "soft small"}, "The " + rows.length + " with most CNPs of the first " + count(all) + " flows that got one; squall analyze --qp N shows any.") : null]);
	out.ready = function () { draw(rows[0]); };
	return out;
}
