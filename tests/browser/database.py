"""What lies in the database of this browser."""

from __future__ import annotations

# The keys of one table. Whoever opens a database first makes it: a test that looks before the page
# has opened its own would make it without tables, and the page would wait for it for ever.
LIES = """async (table) => {
  if (!(await indexedDB.databases()).some(({ name }) => name === "bareme")) return [];
  const opening = indexedDB.open("bareme");
  const database = await new Promise((done) => (opening.onsuccess = () => done(opening.result)));
  const request = database.transaction(table).objectStore(table).getAllKeys();
  const keys = await new Promise((done) => (request.onsuccess = () => done(request.result)));
  database.close();
  return keys;
}"""
