/**
 * Color pickers next to the fields that they fill. Shown only with JavaScript, which fills them.
 */
export function colorPickers(): void {
  for (const picker of document.querySelectorAll<HTMLInputElement>('[data-picks]')) {
    const field = document.getElementById(picker.dataset.picks ?? '');
    if (field instanceof HTMLInputElement) {
      picker.hidden = false;
      picker.addEventListener('input', () => {
        field.value = picker.value;
      });
      field.addEventListener('input', () => {
        if (/^#[0-9a-fA-F]{6}$/.test(field.value)) {
          picker.value = field.value;
        }
      });
    }
  }
}
