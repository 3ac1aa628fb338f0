const content = JSON.parse(byId("content").textContent);
const { relations } = content;
startTheme();
const rules = startRules(content.rules, relations);

const named = (number) => relations[number] ?? "cannot say";
const question = startQuestion(relations, content.measure);
const cases = new Map(content.cases.map((one) => [entryOf(one), one]));
const browser = startBrowser([...cases.keys()], (entry) => question.show(cases.get(entry)));
startHeatMap(byId("composition"), ({ left, right }) => rules.showBody(left, right));
startHeatMap(byId("confusion"), ({ wanted, said }) => {
  const isPair = (entry) => named(cases.get(entry).wanted) === wanted && named(cases.get(entry).said) === said;
  browser.showOnly(isPair, `${said} for ${wanted}`);
});
openLinked(browser);

// The entry of an example in the list.
function entryOf(one) {
  const kind = kindOf(one);
  const { entities, walk, observed } = one.views[0];
  const names = [one.wanted, one.said, ...observed].map((number) => relations[number] ?? "");
  const told = {
    right: named(one.said),
    wrong: `${named(one.said)}, not ${named(one.wanted)}`,
    silent: `cannot say: ${named(one.wanted)}`,
  };
  return {
    number: one.number,
    kind,
    mark: VERDICTS[kind][0],
    who: `${one.source} → ${one.target}`,
    told: told[kind],
    aside: one.hops > 0 ? `${one.hops} hops` : "",
    words: [`#${one.number}`, one.source, one.target, ...walk.map((node) => entities[node]), ...names].join("\n"),
  };
}
