#!/usr/bin/env node
// The command `aldgate` of the installed package. It runs on any Node from version 20, and starts
// the bank in this Node or, if it is too old, in the pinned one.
import { runBank, takeSuitable } from "./launch.mjs";

process.exitCode = await runBank(takeSuitable(), "dist/main.js", process.argv.slice(2));
