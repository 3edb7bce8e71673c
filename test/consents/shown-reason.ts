/** The item of `StatusReason` with which v4 shows a reason that has no path. */
export const shownReason = ({ code, text }: { code: string; text: string }) => ({
  StatusReasonCode: code,
  StatusReasonDescription: text,
});
