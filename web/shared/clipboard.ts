/** Puts text on the clipboard. False when the browser refuses; what is selected stays, so that its own copy command still works. */
export async function writeClipboard(text: string): Promise<boolean> {
  // Declared as always there, and missing in pages that came over plain HTTP from another machine.
  const clipboard = navigator.clipboard as Clipboard | undefined;
  if (clipboard === undefined) return copyBySelection(text);
  try {
    await clipboard.writeText(text);
    return true;
  } catch (error) {
    if (!(error instanceof DOMException)) throw error;
    return false;
  }
}

/** The way of before: copies what is selected in a field that nobody sees. */
function copyBySelection(text: string): boolean {
  const focused = document.activeElement;
  const field = document.createElement('textarea');
  field.value = text;
  field.style.cssText = 'position:fixed;inset:0 auto auto 0;opacity:0';
  document.body.append(field);
  field.select();
  try {
    return document.execCommand('copy');
  } finally {
    field.remove();
    if (focused instanceof HTMLElement) focused.focus();
  }
}

/** Text of the clipboard, or undefined when the browser does not give it. */
export async function readClipboard(): Promise<string | undefined> {
  const clipboard = navigator.clipboard as Clipboard | undefined;
  // Missing in pages over plain HTTP from another machine; `readText` alone in some browsers.
  if (clipboard === undefined || (clipboard.readText as unknown) === undefined) return undefined;
  try {
    return await clipboard.readText();
  } catch (error) {
    if (!(error instanceof DOMException)) throw error;
    return undefined;
  }
}
