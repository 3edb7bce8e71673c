/** The beginning of the id of an act that is confirmed at the bank's provider. */
export const handedOverPrefix = "own";

const handedOverAct = /^own-[0-9a-z]{26}$/;
const handedOverLogin = /^own_[0-9a-z]{1,9}_[\w-]{43}$/;

/**
 * The page to which a customer comes back from the bank's provider, by the id in the answer's
 * state; null if the id is not one of these pages.
 */
export function ownReturnOf(id: string): string | null {
  if (handedOverLogin.test(id)) return "/bank/login/returned";
  return handedOverAct.test(id) ? `/bank/confirm/${id}` : null;
}
