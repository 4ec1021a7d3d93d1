/** `251911234567` in national notation, "0911 234 567". Any other text is returned unchanged. */
export function phoneText(phone: string): string {
  const parts = /^(?:251)?([79]\d{2})(\d{3})(\d{3})$/.exec(phone);
  return parts === null ? phone : `0${parts[1]} ${parts[2]} ${parts[3]}`;
}
