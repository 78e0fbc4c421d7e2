/** Worker side of `pdf-documents.ts`: renders one document and exits. */
import { readFileSync } from 'node:fs';
import { parentPort, workerData } from 'node:worker_threads';
import type { PdfDocument } from './pdf-documents.ts';
import { writePdf } from './write-pdf.ts';

const fontPackage = import.meta.resolve('@embedpdf/fonts-sc');
const font = (weight: string): Buffer => readFileSync(new URL(`../fonts/NotoSansHans-${weight}.otf`, fontPackage));

const document: PdfDocument = workerData;
parentPort?.postMessage(await writePdf(document, { regular: font('Regular'), bold: font('Bold') }));
