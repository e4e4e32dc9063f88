// A box above a list that ticks every box of the list, and says whether all, some or none are.

for (const label of document.querySelectorAll("[data-tick-all]")) {
  const all = label.querySelector("input");
  const boxes = [...all.form.querySelectorAll(`input[type="checkbox"][name="${label.dataset.tickAll}"]:enabled`)];
  const show = () => {
    const ticked = boxes.filter((box) => box.checked).length;
    all.checked = boxes.length > 0 && ticked === boxes.length;
    all.indeterminate = ticked > 0 && ticked < boxes.length;
  };
  all.addEventListener("change", () => {
    for (const box of boxes) box.checked = all.checked;
    show();
  });
  for (const box of boxes) box.addEventListener("change", show);
  label.hidden = boxes.length === 0;
  show();
}
