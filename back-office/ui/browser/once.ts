/** Forms that a double click must not send twice: the second response would hide the first one. */
export function sentOnce(): void {
  for (const form of document.querySelectorAll<HTMLFormElement>('form[data-once]')) {
    let isSent = false;
    form.addEventListener('submit', (event) => {
      if (isSent) {
        event.preventDefault();
      }
      // Not if the member declined the confirmation.
      isSent ||= !event.defaultPrevented;
    });
    // The page was restored from the back/forward cache, so the form may be sent again.
    addEventListener('pageshow', () => {
      isSent = false;
    });
  }
}
