const begin = "-----BEGIN CERTIFICATE-----";
const end = "-----END CERTIFICATE-----";

/** Returns the certificates of a PEM text, each as a separate PEM text. */
export const certificateBlocks = (pem: string): string[] =>
  pem
    .split(begin)
    .slice(1)
    .flatMap((text) => {
      const length = text.indexOf(end);
      return length < 0 ? [] : [begin + text.slice(0, length) + end];
    });
