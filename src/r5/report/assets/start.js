const content = JSON.parse(byId("content").textContent);
startTheme();
const rules = startRules(content.rules, content.relations);
const browser = startBrowser(content.cases, content.relations, content.measure);
startHeatMap(byId("composition"), ({ left, right }) => rules.showBody(left, right));
startHeatMap(byId("confusion"), ({ wanted, said }) => browser.showPair(wanted, said));

// A link to report.html#example-17 opens that example.
const linked = /^#example-(\d+)$/.exec(location.hash);
if (linked) {
  browser.showNumber(Number(linked[1]));
  byId("examples").scrollIntoView();
}
