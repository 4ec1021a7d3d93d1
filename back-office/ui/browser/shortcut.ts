/** `/` leads to the search of the page, unless the member is typing. */
export function searchShortcut(): void {
  const search = document.querySelector<HTMLInputElement>('input[aria-keyshortcuts="/"]');
  addEventListener('keydown', (event) => {
    const isModified = event.ctrlKey || event.metaKey || event.altKey;
    const isTyped =
      event.target instanceof HTMLElement && event.target.matches('input, select, textarea');
    if (search !== null && event.key === '/' && !isModified && !isTyped) {
      event.preventDefault();
      search.focus();
      search.select();
    }
  });
}
