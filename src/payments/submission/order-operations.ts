import Type from "typebox";
import type { ListedRefusals } from "#src/http/api-error.ts";
import { idempotencyHeader } from "#src/http/headers/idempotency.ts";
import type { Operation, OperationReply, OperationRequest } from "#src/http/operation.ts";
import { orderParameter, ownOrder } from "#src/payments/definitions/own-resource.ts";
import type { ServedKind } from "#src/payments/definitions/payment-kind.ts";
import type { PaymentDeps } from "#src/payments/deps.ts";
import { readDetails } from "#src/payments/details/read-details.ts";
import { loadOrder } from "#src/payments/order/load-order.ts";
import { compileOrders, pispOperation } from "#src/payments/pisp-operation.ts";
import { paramOf, withKeyRefusals } from "#src/payments/request/refusals.ts";
import { submissionOf } from "./load-submission.ts";
import { type OrderDeps, orderReply, submissionPath, submissionStepsOf, submit } from "./submit.ts";

/** The operations on a kind's orders. */
export function orderOperations(kind: ServedKind, deps: OrderDeps): Operation[] {
  const stem = `${kind.id}s`;
  const format = kind.format;
  const own = kind.shape.refusals;
  const schemas = compileOrders(format, deps.config);
  const steps = submissionStepsOf(kind);
  const operation = pispOperation(kind.format, kind.tag, stem);
  const success = { status: 200, schema: format.schemas.orderResponse };
  const refusals: ListedRefusals = { 400: ["U011"], 403: ["U011"] };
  return [
    operation({
      method: "POST",
      path: `/${stem}`,
      name: "submit",
      summary: "Submit an order",
      grant: "authorization_code",
      request: format.schemas.orderRequest,
      ...(format.instruction?.payloadVersions
        ? { headers: { "payload-version": payloadVersion } }
        : {}),
      success: { ...success, status: 201 },
      refusals: withKeyRefusals(
        { 400: [...codes, ...(own?.[400] ?? [])], 403: ["U011", ...(own?.[403] ?? [])] },
        format,
      ),
      load: ({ credentials, headers, now }) => {
        const given = headers[idempotencyHeader];
        const key = typeof given === "string" ? given : null;
        const { tokenHash } = credentials;
        const statement = deps.submission({ tokenHash, operation: submissionPath(kind), key, now });
        return { statement, read: submissionOf };
      },
      steps: steps.names,
      handle: (request) => submit(kind, { schemas, steps }, deps, request),
    }),
    operation({
      method: "GET",
      path: `/${stem}/:${orderParameter(kind)}`,
      name: "readOrder",
      summary: "Read an order",
      success,
      refusals,
      handle: (request) => read(kind, deps, request),
    }),
    operation({
      method: "GET",
      path: `/${stem}/:${orderParameter(kind)}/payment-details`,
      name: "readDetails",
      summary: "Read the payments of an order",
      success: { status: 200, schema: format.schemas.details },
      refusals,
      handle: (request) => readDetails(kind, deps, request),
    }),
    ...(kind.shape.orderOperations?.(kind, deps) ?? []),
  ];
}

// biome-ignore format: a list of codes
const codes = ["U002", "U003", "U004", "U005", "U008", "U009", "U010", "U011", "U012"] as const;

const payloadVersion = {
  description: "The API version of the body, if it differs from the version in the path.",
  schema: Type.String(),
};

async function read(
  kind: ServedKind,
  deps: PaymentDeps,
  request: OperationRequest,
): Promise<OperationReply> {
  const order = await loadOrder(deps.database, paramOf(request, orderParameter(kind)));
  return orderReply(kind, request, 200, ownOrder(kind, order, request));
}
