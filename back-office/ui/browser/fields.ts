/** Shows at a field what is wrong with it, as the server's pages do. Null removes the text. */
export function markField(field: HTMLInputElement, problem: string | null): void {
  const id = `${field.id}-error`;
  document.getElementById(id)?.remove();
  const others = field.getAttribute('aria-describedby')?.split(' ') ?? [];
  const described = others.filter((other) => other !== id);
  field.removeAttribute('aria-invalid');
  if (problem !== null) {
    const text = document.createElement('p');
    text.id = id;
    text.className = 'error';
    text.textContent = problem;
    field.before(text);
    field.setAttribute('aria-invalid', 'true');
    described.push(id);
  }
  field.setAttribute('aria-describedby', described.join(' '));
}
