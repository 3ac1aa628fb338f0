const content = JSON.parse(byId("content").textContent);
startTheme();
startRules(content.rules, content.relations);

const MARKS = { right: "✓", wrong: "✕", silent: "–" };
const articles = new Map(
  [...document.querySelectorAll("#case > article")].map((article) => {
    const { number, kind, title, told } = article.dataset;
    const words = `#${number}\n${title}\n${told}`;
    return [{ number: Number(number), kind, mark: MARKS[kind], who: title, told, aside: "", words }, article];
  }),
);
if (articles.size > 0) {
  const browser = startBrowser([...articles.keys()], (one) => {
    for (const [entry, article] of articles) article.hidden = entry !== one;
  });
  openLinked(browser);
}
