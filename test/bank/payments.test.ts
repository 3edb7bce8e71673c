import assert from "node:assert/strict";
import { after, before, test } from "node:test";
