/** HTML's special characters, as MarkupSafe writes them. */

const special: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  "'": '&#39;',
  '"': '&#34;',
};

export function escapeText(text: string): string {
  return text.replaceAll(/[&<>'"]/g, (character) => special[character] ?? character);
}
