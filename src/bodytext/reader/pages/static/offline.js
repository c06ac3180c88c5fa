// Keeps the pages that were seen, and the articles of the front page, for reading without the server.
const CACHE = "bodytext-reader-1";
const MOST_PAGES = 300;
const KEPT = /^\/($|article\/\d+$|saved$|highlights$|plain|static\/|reader\/|image\/)/;

addEventListener("install", () => skipWaiting());
addEventListener("activate", (event) => event.waitUntil(clients.claim()));

addEventListener("fetch", (event) => {
  const url = new URL(event.request.url);
  if (event.request.method !== "GET" || url.origin !== location.origin || !KEPT.test(url.pathname)) return;
  event.respondWith(answer(event.request));
});

async function answer(request) {
  const cache = await caches.open(CACHE);
  try {
    const response = await fetch(request);
    if (response.ok && !response.redirected) await cache.put(request, response.clone());
    return response;
  } catch (problem) {
    const kept = await cache.match(request, { ignoreVary: true });
    if (kept) return kept;
    if (request.mode !== "navigate") throw problem;
    return (await cache.match("/", { ignoreVary: true })) ?? new Response("The reader does not run, and this page was not kept.", { status: 503 });
  }
}

// The front page sends the articles that it shows: they are kept before anybody opens them.
addEventListener("message", (event) => event.waitUntil(keep(event.data.paths ?? [])));

async function keep(paths) {
  const cache = await caches.open(CACHE);
  for (const path of paths) {
    if (await cache.match(path, { ignoreVary: true })) continue;
    const response = await fetch(path, { headers: { "x-bodytext-offline": "1" } }).catch(() => null);
    if (!response) return;
    if (response.ok) await cache.put(path, response);
  }
  const kept = (await cache.keys()).filter((request) => new URL(request.url).pathname.startsWith("/article/"));
  for (const request of kept.slice(0, Math.max(0, kept.length - MOST_PAGES))) await cache.delete(request);
}
