import encodeQR from "qr";
import { type Html, html } from "./html.ts";

/** A QR code as an image in the page, which is never loaded from elsewhere. */
export function qrImage(text: string, label: string): Html {
  const rows = encodeQR(text, "raw", { ecc: "medium", border: 4 });
  const path = rows
    .flatMap((row, y) => row.map((isDark, x) => (isDark ? `M${x} ${y}h1v1h-1z` : "")))
    .join("");
  const size = rows.length;
  // always dark on light: some readers do not recognise the opposite
  return html`<svg class="qr" role="img" aria-label="${label}" viewBox="0 0 ${size} ${size}">
<rect width="${size}" height="${size}" fill="#fff"/><path d="${path}" fill="#000"/></svg>`;
}
