// SPDX-License-Identifier: Apache-2.0
// A large fabric as cells: a card for each switch, in it one cell for each of its ports.
"use strict";

var GRID_COLUMNS = 16;

// {node, title, rows: [name, [{l, of: which direction, 6, 7 or 0 for the worse}]]}, by tier
function gridTiers(map) {
	var nodes = map.nodes, ports = nodes.map(function () { return {hosts: [], down: [], across: [], up: []}; }), tiers = [];
	list(map.links).forEach(function (l) {
		var a = nodes[l[0]], b = nodes[l[1]], lower;
		if (!a || !b) return;
		if (a[1] === b[1]) {
			ports[l[0]].across.push({l: l, of: 6});
			ports[l[1]].across.push({l: l, of: 7});
			return;
		}
		lower = a[1] < b[1];
		ports[l[lower ? 0 : 1]].up.push({l: l, of: lower ? 6 : 7});
		if ((lower ? a : b)[1] === 0) ports[l[lower ? 1 : 0]].hosts.push({l: l, of: 0});
		else ports[l[lower ? 1 : 0]].down.push({l: l, of: lower ? 7 : 6});
	});
	nodes.forEach(function (n, i) {
		if (n[1] === 0) return;
		(tiers[n[1]] = tiers[n[1]] || []).push({node: n, title: text(n[0]), rows: ["hosts", "down", "across", "up"].map(function (k) {
			return [k, ports[i][k]];
		}).filter(function (r) { return r[1].length; })});
	});
	return tiers.map(function (cards) {
		cards.sort(function (p, q) { return p.node[2] - q.node[2]; });
		if (map.pods && cards.length > 1)
			cards.forEach(function (c, i) { if (c.node[6] > 1) c.title = "pod " + i + ": " + c.title; });
		return cards;
	});
}

function valueOf(cell, heat, run) {
	return cell.of ? heat.of(cell.l[cell.of], cell.l, run) : worse(heat, cell.l, run);
}

// A place with all cells and paint(heat, most, stops).
function heatGrid(run, detail) {
	var map = run.map, place = node("div", {class: "cells"}), cells = [], cards = [];
	gridTiers(map).forEach(function (tier, number) {
		if (!tier) return;
		var most = tier.reduce(function (n, c) { return c.rows.reduce(function (m, r) { return Math.max(m, r[1].length); }, n); }, 1);
		var columns = Math.min(GRID_COLUMNS, most);
		place.appendChild(node("h3", {}, "Tier " + number + ": " + plural(tier.reduce(function (n, c) { return n + c.node[6]; }, 0), "switch", "switches")));
		place.appendChild(node("div", {class: "cards", style: "--n:" + columns}, tier.map(function (c) {
			var value = node("span", {class: "soft"}), hottest = {cells: [], value: value};
			var card = node("div", {class: "swcard"}, [node("div", {class: "swhead"}, [node("b", {}, c.title), value])].concat(c.rows.map(function (r) {
				return node("div", {}, [node("div", {class: "soft swrow"}, r[0]),
					node("div", {class: "swcells"}, r[1].map(function (cell) {
						var e = node("i", {"data-cell": cells.length});
						cell.e = e;
						cells.push(cell);
						hottest.cells.push(cell);
						return e;
					}))]);
			})));
			card.setAttribute("data-card", cards.length);
			cards.push(hottest);
			return card;
		})));
	});
	// the cell under the pointer; elsewhere on a card its hottest
	function under(event) {
		var cell = event.target.getAttribute("data-cell"), card = event.target.closest("[data-card]");
		return cell != null ? cells[cell] : card ? cards[card.getAttribute("data-card")].hot : null;
	}
	function show(event) {
		var c = under(event);
		if (!c) { hideTip(); return; }
		showTip(event, say(c.l, map.nodes, run));
		if (event.type === "pointerdown") detail.innerText = say(c.l, map.nodes, run);
	}
	place.addEventListener("pointermove", show);
	place.addEventListener("pointerdown", show);
	place.addEventListener("pointerleave", hideTip);
	place.paint = function (heat, most, stops) {
		cards.forEach(function (card) {
			var high = -1;
			card.cells.forEach(function (c) {
				var v = valueOf(c, heat, run);
				c.e.style.background = rgbText(heatRgb(most ? v / most : 0, stops));
				if (v > high) { high = v; card.hot = c; }
			});
			card.value.textContent = high > 0 ? heat.say(high) : "";
		});
	};
	return place;
}
