// The service's page: examples with this server's address, the options from its description, and a form to try it.

import { announce } from "./shell.js";

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
  const choices = schema.enum ?? schema.anyOf?.flatMap((choice) => choice.enum ?? ["0 to 1"]) ?? [];
  const meaning = [choices.join(", "), schema.description].filter(Boolean).join("; ");
  const line = document.createElement("tr");
  const head = document.createElement("th");
  head.scope = "row";
  head.textContent = name;
  const text = document.createElement("td");
  text.textContent = schema.default === "" ? meaning : `${meaning}; default ${schema.default}`;
  line.append(head, text);
  return line;
}

place("try").addEventListener("submit", async (event) => {
  event.preventDefault();
  const text = place("html").value.trim();
  const page = /^https?:\/\/\S+$/i.test(text) ? { url: text } : { html: text };
  const values = { ...page, format: place("format").value, threshold: place("threshold").value };
  place("error").hidden = place("answer").hidden = true;
  try {
    const response = await fetch("/extract", {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify(values),
    });
    const answer = await response.text();
    if (!response.ok) throw new Error(JSON.parse(answer).error);
    show(response.headers, values.format === "json" ? JSON.stringify(JSON.parse(answer), null, 2) : answer);
  } catch (problem) {
    // fetch throws a TypeError if the server does not answer.
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
  announce(`The answer is below: ${[...known.filter(Boolean), `${text.length.toLocaleString("en")} characters`].join(", ")}`);
}
