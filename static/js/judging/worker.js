// Between the browser and the server, for pages of pairs only. It keeps nothing and opens nothing: what was kept lies
// sealed in the database, and only an open page has the key (keeping.js). So each is asked for what it has.

// So long the network may take before what was kept is shown in its stead.
const PATIENCE_MS = 4000;
// A page that is open answers in a few; one that is still loading does not hold the next one up.
const ASK_MS = 400;
const PAIR = /\/annotate\/[^/]+\/\d+\/$/;
// What a page is made of beside its words; the same names as in keeping.js.
const FILES = "bareme-files";
const OF_A_PAGE = ["script", "style", "font", "image"];
// What the server will not show any more, whatever was kept of it.
const REFUSALS = [401, 403, 404, 409, 410];
// What the server answers is numbered; what a proxy answers in its stead is not the server's word.
const NUMBERED = /\b[2-9A-Z]{4}-[2-9A-Z]{4}-[2-9A-Z]{4}\b/;

self.addEventListener("install", () => self.skipWaiting());

self.addEventListener("fetch", (event) => {
  const { request } = event;
  const url = new URL(request.url);
  if (request.method !== "GET" || url.origin !== self.location.origin) return;
  if (request.mode === "navigate" && PAIR.test(url.pathname) && !url.search) event.respondWith(pair(request, url.pathname));
  else if (OF_A_PAGE.includes(request.destination)) event.respondWith(file(request));
});

async function pair(request, path) {
  // Whoever reloads asks for what the server has now.
  const isReload = request.cache === "reload" || request.cache === "no-cache";
  const copy = isReload ? null : await kept(path, ASK_MS);
  // Nobody has answered anything there yet: shown at once. The page itself asks whether it is still so.
  if (copy?.isUntouched) return page(copy);
  const network = fetch(request).then(
    (answer) => refusalReported(path, answer),
    () => null,
  );
  const answer = await soon(network, PATIENCE_MS);
  if (answer && answer.status < 500 && (answer.status < 400 || isOfServer(answer))) return answer;
  const instead = await kept(path, PATIENCE_MS);
  return instead ? page(instead) : ((await network) ?? Response.error());
}

function isOfServer({ type, headers }) {
  return type === "opaqueredirect" || NUMBERED.test(headers.get("X-Request-ID") ?? "");
}

/** Pages that keep it are told when the server refuses it, or first wants something else: a log-in, a guide read. */
async function refusalReported(path, answer) {
  const status = answer.type === "opaqueredirect" ? 401 : answer.status;
  if (REFUSALS.includes(status) && isOfServer(answer)) for (const client of await windows()) client.postMessage({ kind: "refused", path, status });
  return answer;
}

function page({ html, headers }) {
  return new Response(html, { headers });
}

function windows() {
  return self.clients.matchAll({ type: "window", includeUncontrolled: true });
}

/** The page as an open one has kept it; null where none has, or none has said so in `limit` milliseconds. */
async function kept(path, limit) {
  const open = (await windows()).filter(({ url }) => PAIR.test(new URL(url).pathname));
  const until = Date.now() + limit;
  let copy;
  // What is asked of a page whose script has not come yet is lost: it is asked again.
  while (copy === undefined && Date.now() < until) {
    copy = await soon(Promise.any(open.map((client) => ask(client, path))).catch(() => null), ASK_MS);
  }
  return copy ?? null;
}

function ask(client, path) {
  return new Promise((resolve, reject) => {
    const { port1, port2 } = new MessageChannel();
    port1.onmessage = ({ data }) => (data ? resolve(data) : reject(new Error("not kept")));
    client.postMessage({ kind: "kept?", path }, [port2]);
  });
}

/** What it resolves to; undefined after that time. */
function soon(promise, limit) {
  return Promise.race([promise, new Promise((resolve) => setTimeout(resolve, limit))]);
}

/**
 * From the network or the browser's own cache, which knows how long it may; else from what was kept. A new deployment
 * has other files: those of the pages that are open, and of pages that were kept, are not found there any more.
 */
async function file(request) {
  const answer = await fetch(request).catch(() => null);
  if (answer && answer.status !== 404) return answer;
  return (await caches.match(request, { cacheName: FILES, ignoreVary: true })) ?? answer ?? Response.error();
}
