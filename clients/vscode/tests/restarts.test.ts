import assert from "node:assert/strict";
import { test } from "node:test";
import { Restarts } from "../src/restarts";

test("a server that keeps ending is started three times, ever more slowly, and then no more", () => {
  const restarts = new Restarts();
  const pauses = [0, 2_000, 5_000, 10_000].map((now) => restarts.pauseMs(now));
  assert.deepEqual(pauses, [1_000, 2_000, 4_000, undefined]);
});

test("ends that lie far apart do not add up", () => {
  const restarts = new Restarts();
  for (let hour = 0; hour < 10; hour += 1) {
    assert.equal(restarts.pauseMs(hour * 3_600_000), 1_000);
  }
});

test("the user's own restart begins anew", () => {
  const restarts = new Restarts();
  [0, 1, 2, 3].forEach((now) => restarts.pauseMs(now));
  restarts.forget();
  assert.equal(restarts.pauseMs(4), 1_000);
});
