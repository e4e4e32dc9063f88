// A field whose kind is not there any more: it is shown as it is stored, and its answer goes back as it came.

import { Field, define } from "../form.js";

define(
  "former",
  class extends Field {
    read() {
      return this.value === undefined ? JSON.parse(this.element.dataset.written) : this.value;
    }

    /** Only another version of this pair brings another answer: its words are the server's, this shows what it holds. */
    write(value) {
      if (JSON.stringify(value) === JSON.stringify(this.read())) return;
      this.value = value;
      const shown = typeof value === "string" ? value : JSON.stringify(value);
      this.element.querySelector("[data-lines]").textContent = shown ?? "";
    }
  },
);
