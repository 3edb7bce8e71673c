import { Gauge, Histogram } from "prom-client";
import type { Metrics } from "#src/http/connection/observe.ts";
import type { Clock } from "#src/lib/clock.ts";
import { expiryOf } from "#src/signing/certificate-file.ts";
import type { KeyRing } from "#src/signing/key-ring.ts";

const dayMs = 86_400_000;

/** Shows which key signs, and how long the certificates of the published keys are valid. */
export function observeKeys({ registry }: Metrics, ring: KeyRing, clock: Clock): void {
  const registers = [registry];
  const labelNames = ["kid"] as const;
  new Gauge({
    name: "aldgate_signing_key_current",
    help: "1 for the key with which this process signs; absent if it cannot sign.",
    labelNames,
    registers,
    collect() {
      this.reset();
      const [first] = ring.published();
      if (first && ring.canSign()) this.set({ kid: first.kid }, 1);
    },
  });
  new Gauge({
    name: "aldgate_signing_key_certificate_days",
    help: "Days until the certificate of a published signing key expires.",
    labelNames,
    registers,
    collect() {
      this.reset();
      for (const { kid, certificatesPem } of ring.published()) {
        const pem = certificatesPem();
        const until = pem === "" ? null : expiryOf(pem);
        if (until !== null) this.set({ kid }, (until - clock.now().epochMilliseconds) / dayMs);
      }
    },
  });
}

/** Makes the counter of calls to the signing service. It is given seconds, and a reason to fail. */
export function observeRemoteKeys({ registry }: Metrics) {
  const durations = new Histogram({
    name: "aldgate_signing_service_duration_seconds",
    help: "Signatures that this process has requested from the signing service, by outcome.",
    labelNames: ["outcome"] as const,
    buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10],
    registers: [registry],
  });
  return (seconds: number, reason: string | null): void =>
    durations.observe({ outcome: reason === null ? "signed" : "failed" }, seconds);
}
