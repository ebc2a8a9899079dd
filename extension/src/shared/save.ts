/** Hands a file to the reader, made of these parts. */
export function save(parts: BlobPart | BlobPart[], type: string, name: string): void {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob([parts].flat(), { type }));
  link.download = name;
  link.click();
  URL.revokeObjectURL(link.href);
}
