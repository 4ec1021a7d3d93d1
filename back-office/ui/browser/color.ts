import { brandLook } from '../../../src/kit/ui/brand.ts';

/**
 * Color pickers next to the fields that they fill, and the preview of the color. Shown only with
 * JavaScript, which replaces the button that asks the server for a preview.
 */
export function colorPickers(): void {
  for (const picker of document.querySelectorAll<HTMLInputElement>('[data-picks]')) {
    const field = document.getElementById(picker.dataset.picks ?? '');
    if (field instanceof HTMLInputElement) {
      picker.hidden = false;
      picker.addEventListener('input', () => {
        field.value = picker.value;
        showPreview(picker.value);
      });
      field.addEventListener('input', () => {
        if (/^#[0-9a-fA-F]{6}$/.test(field.value)) {
          picker.value = field.value;
          showPreview(picker.value);
        }
      });
    }
  }
  for (const button of document.querySelectorAll<HTMLElement>('[data-without-script]')) {
    button.hidden = true;
  }
}

/** Paints the preview as the server would. */
function showPreview(color: string): void {
  const { text, needsEdge } = brandLook(color);
  const preview = document.querySelector('[data-brand-preview]');
  for (const ground of preview?.querySelectorAll('.brand-ground') ?? []) {
    ground.setAttribute('fill', color);
    ground.classList.toggle('brand-edge', needsEdge);
  }
  for (const label of preview?.querySelectorAll('.brand-label') ?? []) {
    label.setAttribute('fill', text);
  }
}
