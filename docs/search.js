// The theme opens the search as a dialog that has no name for who hears the page.
document.querySelector(".md-search")?.setAttribute("aria-label", "Search");

// In a search, signs such as a colon behind a word have a meaning of their own. Messages of errors
// are full of them, and would find nothing as they are pasted.
document.addEventListener(
  "input",
  (event) => {
    const box = event.target;
    if (!box.matches?.(".md-search__input")) return;
    const plain = box.value.replace(/[:'"`()[\]{}~^*+]/g, " ");
    if (plain === box.value) return;
    const at = box.selectionStart;
    box.value = plain;
    box.setSelectionRange(at, at);
  },
  true,
);
