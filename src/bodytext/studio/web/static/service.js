// The page of the service: the examples with this server's address, the options as its description has them, a try.

const place = (id) => document.getElementById(id);
const description = await (await fetch("/openapi.json")).json();
const options = description.components.schemas.Request.properties;

for (const span of document.querySelectorAll(".origin")) span.textContent = location.origin;
place("limits").textContent = description.info.description.replaceAll("`", "");
place("format").append(...options.format.enum.map((name) => new Option(name, name, false, name === "markdown")));
place("options").append(
  ...Object.entries(options)
    .filter(([name]) => name !== "html")
    .map(([name, schema]) => row(name, schema)),
);

function row(name, schema) {
  const choices = schema.enum ?? schema.anyOf?.flatMap((one) => one.enum ?? ["0 to 1"]) ?? [];
  const words = [choices.join(", "), schema.description].filter(Boolean).join("; ");
  const line = document.createElement("tr");
  const head = document.createElement("th");
  head.scope = "row";
  head.textContent = name;
  const text = document.createElement("td");
  text.textContent = schema.default === "" ? words : `${words}; default ${schema.default}`;
  line.append(head, text);
  return line;
}

place("try").addEventListener("submit", async (event) => {
  event.preventDefault();
  const given = place("html").value.trim();
  const page = /^https?:\/\/\S+$/i.test(given) ? { url: given } : { html: given };
  const order = { ...page, format: place("format").value, threshold: place("threshold").value };
  place("error").hidden = place("answer").hidden = true;
  try {
    const response = await fetch("/extract", {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify(order),
    });
    const text = await response.text();
    if (!response.ok) throw new Error(JSON.parse(text).error);
    show(response.headers, order.format === "json" ? JSON.stringify(JSON.parse(text), null, 2) : text);
  } catch (problem) {
    // A TypeError is fetch's word for a server that does not answer.
    place("error").textContent = problem instanceof TypeError ? "the service does not answer: is it still running?" : problem.message;
    place("error").hidden = false;
  }
});

function show(headers, text) {
  const confidence = headers.get("bodytext-confidence");
  const known = [
    headers.get("bodytext-page-type"),
    confidence && `expected F1 ${Number(confidence).toFixed(2)}`,
    headers.get("bodytext-reason"),
  ];
  place("about").textContent = known.filter(Boolean).join(" · ");
  place("text").textContent = text;
  place("answer").hidden = false;
}
