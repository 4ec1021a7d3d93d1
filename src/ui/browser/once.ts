/** Forms that a double click must not send twice: the second sending would hide the first's answer. */
export function sentOnce(): void {
  for (const form of document.querySelectorAll<HTMLFormElement>('form[data-once]')) {
    let isSent = false;
    form.addEventListener('submit', (event) => {
      if (isSent) {
        event.preventDefault();
      }
      // Not if a question before it was answered by no.
      isSent ||= !event.defaultPrevented;
    });
    // Back on the page by the browser's own memory: the form may be sent again.
    addEventListener('pageshow', () => {
      isSent = false;
    });
  }
}
