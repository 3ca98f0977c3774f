// SPDX-License-Identifier: Apache-2.0
// Puts the page together from the data in it.
"use strict";

function guarded(make) {
	try { return make(); } catch (e) {
		console.error(e);
		return section("broken", "A part is missing", null, node("p", {class: "empty"}, "This part of report.json cannot be shown: " + e.message));
	}
}

function setTheme(dark) {
	document.documentElement.setAttribute("data-theme", dark ? "dark" : "light");
	document.getElementById("theme").textContent = dark ? "Light" : "Dark";
	loopTheme();
	mapTheme();
	themed.forEach(function (draw) { draw(); });
}

function details(run) {
	return [showMessages, showMap, showPauses, showIterations, showEvents, showConfig].map(function (show) {
		return guarded(function () { return show(run); });
	});
}

function put(place, parts) {
	append(place, parts);
	parts.forEach(function (p) {
		if (p && p.ready) try { p.ready(); } catch (e) { console.error(e); }
	});
}

function head(runs) {
	var s = runs[0].summary || {}, title = runs.length === 1 ? text(s.scenario) || "unnamed" : runs.length + " runs compared";
	document.title = title + " \u2013 squall";
	append(document.getElementById("title"), [node("h1", {}, title), node("div", {class: "soft"}, runs.length === 1
		? [plural(runs[0].hosts, "host"), "seed " + text(s.seed), text(runs[0].end) + " at " + us(at(s, "sim.t_end_us")), big(at(s, "sim.packet_hops")) + " packet-hops",
			"engine " + text(s.engine)].join(" \u00b7 ")
		: runs.map(function (r) { return r.label; }).join(" \u00b7 "))]);
}

function contents(sections) {
	return node("nav", {"aria-label": "contents"}, sections.filter(function (s) { return s && s.id && s.querySelector("h2"); }).map(function (s) {
		return node("a", {href: "#" + s.id}, s.querySelector("h2").textContent);
	}));
}

function page(runs) {
	var main = document.getElementById("page"), shared, own;
	head(runs);
	if (runs.length === 1) {
		shared = [guarded(function () { return showVerdict(runs[0]); }), guarded(function () { return showTiles(runs[0]); }),
			guarded(function () { return showLoop(runs); }), guarded(function () { return showCdfs(runs); })];
		own = details(runs[0]);
		document.getElementById("title").appendChild(contents(shared.concat(own)));
		put(main, shared.concat(own));
		return;
	}
	shared = [guarded(function () { return showFigures(runs); }), guarded(function () { return showLoop(runs); }),
		guarded(function () { return showCdfs(runs); }), guarded(function () { return showConfigDifferences(runs); })];
	document.getElementById("title").appendChild(contents(shared));
	put(main, shared);
	var place = node("div", {});
	var pick = node("select", {"aria-label": "run", onchange: function () { show(Number(pick.value)); }},
		runs.map(function (r, i) { return node("option", {value: i}, r.label); }));
	function show(i) {
		clear(place);
		put(place, [guarded(function () { return showVerdict(runs[i]); })].concat(details(runs[i])));
	}
	append(main, [node("section", {class: "bare"}, [node("h2", {style: "margin-top:14px"}, "One of them"), node("div", {class: "bar"}, [pick])]), place]);
	show(0);
}

(function () {
	var wanted = window.matchMedia && matchMedia("(prefers-color-scheme: dark)").matches, data;
	var button = document.getElementById("theme");
	if (/[?#&]theme=(dark|light)/.test(location.href)) wanted = RegExp.$1 === "dark";
	button.hidden = false;
	button.onclick = function () { setTheme(document.documentElement.getAttribute("data-theme") !== "dark"); };
	setTheme(wanted);
	data = JSON.parse(document.getElementById("data").textContent);
	if (data.capture) capturePage(data.capture);
	else page(data.runs.map(function (r) { r.data.label = r.name; return r.data; }));
	document.documentElement.setAttribute("data-ready", "1");
}());
