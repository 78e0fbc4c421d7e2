/** A file as a `data:` address. */
export function readAsDataUrl(file: Blob): Promise<string> {
  return new Promise((resolve, reject) => {
    const reader = new FileReader();
    reader.addEventListener('load', () => {
      if (typeof reader.result === 'string') resolve(reader.result);
    });
    reader.addEventListener('error', () =>
      reject(new Error('The file cannot be read.', { cause: reader.error })),
    );
    reader.readAsDataURL(file);
  });
}
