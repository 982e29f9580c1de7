;; The passes over whole rows that the sampler makes, in WebAssembly with vectors of 128 bits. Kept as
;; text and assembled at the first use (assemble-wat.ts knows the part of the language used here).
;; Every sum has one fixed order and no instruction is a relaxed one, so results are the same bits on
;; every machine. Pointers are in bytes, counts in elements. Callers keep room for 64 elements behind
;; each array: the kernels read and write a little past the end.
;;
;; Where entries are kept or dropped, four at a time are moved together: at 512 lies, for each of the 16
;; masks of four lanes, the shuffle that brings the lanes of the mask to the front, and at 768 the same
;; for the 4 masks of two wide lanes (kernels.ts writes them). What is written behind the kept ones is
;; overwritten next, and in place nothing is overwritten that was not read.
(module
  (memory 1)

  ;; The largest value of each block of 64 goes to $maxima. Returns 0 where some value is NaN, else 1.
  ;; The row is a whole number of blocks.
  (func (export "blockMaxima") (param $row i32) (param $end i32) (param $maxima i32) (result i32)
    (local $stop i32)
    (local $a v128) (local $b v128) (local $x v128) (local $y v128) (local $ordered v128)
    (local $high f32) (local $low f32)
    (local.set $ordered (v128.const i32x4 -1 -1 -1 -1))
    (block $done
      (loop $blocks
        (br_if $done (i32.ge_u (local.get $row) (local.get $end)))
        (local.set $stop (i32.add (local.get $row) (i32.const 256)))
        (local.set $a (v128.const f32x4 -Infinity -Infinity -Infinity -Infinity))
        (local.set $b (local.get $a))
        (loop $vectors
          (local.set $x (v128.load (local.get $row)))
          (local.set $y (v128.load offset=16 (local.get $row)))
          ;; A NaN is never above what was there, so the maximum alone does not show it.
          (local.set $a (f32x4.pmax (local.get $a) (local.get $x)))
          (local.set $b (f32x4.pmax (local.get $b) (local.get $y)))
          (local.set $ordered (v128.and (local.get $ordered)
            (v128.and (f32x4.eq (local.get $x) (local.get $x))
                      (f32x4.eq (local.get $y) (local.get $y)))))
          (local.set $row (i32.add (local.get $row) (i32.const 32)))
          (br_if $vectors (i32.lt_u (local.get $row) (local.get $stop)))
        )
        (local.set $a (f32x4.pmax (local.get $a) (local.get $b)))
        (local.set $high (select
          (f32x4.extract_lane 0 (local.get $a)) (f32x4.extract_lane 1 (local.get $a))
          (f32.gt (f32x4.extract_lane 0 (local.get $a)) (f32x4.extract_lane 1 (local.get $a)))))
        (local.set $low (select
          (f32x4.extract_lane 2 (local.get $a)) (f32x4.extract_lane 3 (local.get $a))
          (f32.gt (f32x4.extract_lane 2 (local.get $a)) (f32x4.extract_lane 3 (local.get $a)))))
        (f32.store (local.get $maxima) (select (local.get $high) (local.get $low)
          (f32.gt (local.get $high) (local.get $low))))
        (local.set $maxima (i32.add (local.get $maxima) (i32.const 4)))
        (br $blocks)
      )
    )
    (i32x4.all_true (local.get $ordered))
  )

  ;; Copies the indexes and values of the row that are at or above $floor, in order. Blocks whose
  ;; maximum is below it are not looked at. Returns how many they are.
  (func (export "gather") (param $row i32) (param $end i32) (param $maxima i32) (param $floor f32)
      (param $ids i32) (param $logits i32) (result i32)
    (local $stop i32) (local $id i32) (local $size i32) (local $at i32) (local $passing i32)
    (local $values v128) (local $floors v128) (local $shuffle v128)
    (local.set $floors (f32x4.splat (local.get $floor)))
    (block $done
      (loop $blocks
        (br_if $done (i32.ge_u (local.get $row) (local.get $end)))
        (local.set $stop (i32.add (local.get $row) (i32.const 256)))
        (if (f32.ge (f32.load (local.get $maxima)) (local.get $floor))
          (then
            (loop $vectors
              (local.set $values (v128.load (local.get $row)))
              (local.set $passing
                (i32x4.bitmask (f32x4.ge (local.get $values) (local.get $floors))))
              (if (local.get $passing)
                (then
                  (local.set $shuffle (v128.load offset=512
                    (i32.shl (local.get $passing) (i32.const 4))))
                  (local.set $at (i32.shl (local.get $size) (i32.const 2)))
                  (v128.store (i32.add (local.get $ids) (local.get $at))
                    (i8x16.swizzle
                      (i32x4.add (i32x4.splat (local.get $id)) (v128.const i32x4 0 1 2 3))
                      (local.get $shuffle)))
                  (v128.store (i32.add (local.get $logits) (local.get $at))
                    (i8x16.swizzle (local.get $values) (local.get $shuffle)))
                  (local.set $size (i32.add (local.get $size) (i32.popcnt (local.get $passing))))
                )
              )
              (local.set $id (i32.add (local.get $id) (i32.const 4)))
              (local.set $row (i32.add (local.get $row) (i32.const 16)))
              (br_if $vectors (i32.lt_u (local.get $row) (local.get $stop)))
            )
          )
          (else
            (local.set $id (i32.add (local.get $id) (i32.const 64)))
            (local.set $row (local.get $stop))
          )
        )
        (local.set $maxima (i32.add (local.get $maxima) (i32.const 4)))
        (br $blocks)
      )
    )
    (local.get $size)
  )

  ;; weight = e^((logit - $max) * $rate) for $count logits, none of them above $max; below e^-700 it
  ;; stays there. x = (64 k + j) ln 2 / 64 + r with r in +-ln 2 / 128 (ln 2 / 64 in two parts, so that r
  ;; is exact to the last bits); e^r is its Taylor polynomial to r^5, and e^x that times 2^(k + j / 64).
  ;; The second factor's bits are those of 2^(j / 64) with k added to the exponent: at 1024 lie the 64
  ;; of them, each less j where adding 64 k + j puts it. Relative error below 2e-15.
  (func (export "weigh") (param $logits i32) (param $count i32) (param $max f64) (param $rate f64)
      (param $weights i32)
    (local $end i32)
    (local $maxes v128) (local $rates v128) (local $lowest v128) (local $stepsPerNat v128)
    (local $magic v128) (local $stepHigh v128) (local $stepLow v128)
    (local $c2 v128) (local $c3 v128) (local $c4 v128) (local $c5 v128) (local $one v128)
    (local $x v128) (local $k v128) (local $whole v128) (local $r v128) (local $r2 v128)
    (local.set $end (i32.add (local.get $logits) (i32.shl (local.get $count) (i32.const 2))))
    (local.set $maxes (f64x2.splat (local.get $max)))
    (local.set $rates (f64x2.splat (local.get $rate)))
    (local.set $lowest (v128.const f64x2 -700 -700))
    (local.set $stepsPerNat (v128.const f64x2 92.33248261689366 92.33248261689366))
    ;; 1.5 * 2^52: adding it leaves the nearest whole number in the lowest bits.
    (local.set $magic (v128.const f64x2 6755399441055744 6755399441055744))
    (local.set $stepHigh (v128.const f64x2 0.01083042468962958 0.01083042468962958))
    (local.set $stepLow (v128.const f64x2 6.619564634077006e-12 6.619564634077006e-12))
    (local.set $one (v128.const f64x2 1 1))
    (local.set $c2 (v128.const f64x2 0.5 0.5))
    (local.set $c3 (v128.const f64x2 0.16666666666666666 0.16666666666666666))
    (local.set $c4 (v128.const f64x2 0.041666666666666664 0.041666666666666664))
    (local.set $c5 (v128.const f64x2 0.008333333333333333 0.008333333333333333))
    (block $done
      (loop $pairs
        (br_if $done (i32.ge_u (local.get $logits) (local.get $end)))
        (local.set $x (f64x2.pmax (local.get $lowest) (f64x2.mul (local.get $rates)
          (f64x2.sub (f64x2.promote_low_f32x4 (v128.load64_zero (local.get $logits)))
                     (local.get $maxes)))))
        (local.set $k (f64x2.add (f64x2.mul (local.get $x) (local.get $stepsPerNat))
          (local.get $magic)))
        (local.set $whole (f64x2.sub (local.get $k) (local.get $magic)))
        (local.set $r (f64x2.sub
          (f64x2.sub (local.get $x) (f64x2.mul (local.get $whole) (local.get $stepHigh)))
          (f64x2.mul (local.get $whole) (local.get $stepLow))))
        (local.set $r2 (f64x2.mul (local.get $r) (local.get $r)))
        (v128.store (local.get $weights) (f64x2.mul
          (i64x2.add
            (i64x2.shl (local.get $k) (i32.const 46))
            (f64x2.replace_lane 1
              (v128.load64_zero offset=1024 (i32.shl
                (i32.and (i32x4.extract_lane 0 (local.get $k)) (i32.const 63)) (i32.const 3)))
              (f64.load offset=1024 (i32.shl
                (i32.and (i32x4.extract_lane 2 (local.get $k)) (i32.const 63)) (i32.const 3)))))
          (f64x2.add
            (f64x2.add
              (f64x2.add (local.get $one) (local.get $r))
              (f64x2.mul (local.get $r2)
                (f64x2.add (local.get $c2) (f64x2.mul (local.get $c3) (local.get $r)))))
            (f64x2.mul (f64x2.mul (local.get $r2) (local.get $r2))
              (f64x2.add (local.get $c4) (f64x2.mul (local.get $c5) (local.get $r)))))))
        (local.set $logits (i32.add (local.get $logits) (i32.const 8)))
        (local.set $weights (i32.add (local.get $weights) (i32.const 16)))
        (br $pairs)
      )
    )
  )

  ;; The sum of $count weights by groups of 16: each group's sum is a tree, groups follow each other.
  ;; Weights from $count to the end of the last group are 0. With a $target below the sum it stops at
  ;; the group that passes it and returns the sum before. The last group looked at is stored at $place.
  (func (export "sum") (param $weights i32) (param $count i32) (param $target f64)
      (param $place i32) (result f64)
    (local $end i32) (local $begin i32) (local $reached f64) (local $next f64) (local $tree v128)
    (local.set $begin (local.get $weights))
    (local.set $end (i32.add (local.get $weights) (i32.shl (local.get $count) (i32.const 3))))
    (block $done
      (loop $groups
        (br_if $done (i32.ge_u (local.get $weights) (local.get $end)))
        (local.set $tree (f64x2.add
          (f64x2.add
            (f64x2.add (v128.load (local.get $weights)) (v128.load offset=16 (local.get $weights)))
            (f64x2.add (v128.load offset=32 (local.get $weights))
                       (v128.load offset=48 (local.get $weights))))
          (f64x2.add
            (f64x2.add (v128.load offset=64 (local.get $weights))
                       (v128.load offset=80 (local.get $weights)))
            (f64x2.add (v128.load offset=96 (local.get $weights))
                       (v128.load offset=112 (local.get $weights))))))
        (local.set $next (f64.add (local.get $reached) (f64.add
          (f64x2.extract_lane 0 (local.get $tree)) (f64x2.extract_lane 1 (local.get $tree)))))
        (i32.store (local.get $place)
          (i32.shr_u (i32.sub (local.get $weights) (local.get $begin)) (i32.const 3)))
        (br_if $done (f64.gt (local.get $next) (local.get $target)))
        (local.set $reached (local.get $next))
        (local.set $weights (i32.add (local.get $weights) (i32.const 128)))
        (br $groups)
      )
    )
    (local.get $reached)
  )

  ;; Keeps the entries whose weight is at least $least (above 0), in order; returns how many.
  ;; Weights from $count to the next multiple of 4 are 0.
  (func (export "keepHeavy") (param $ids i32) (param $logits i32) (param $weights i32)
      (param $count i32) (param $least f64) (result i32)
    (local $i i32) (local $size i32) (local $passing i32) (local $at i32)
    (local $first v128) (local $second v128) (local $least2 v128) (local $firstMask i32)
    (local $secondMask i32) (local $shuffle v128)
    (local.set $least2 (f64x2.splat (local.get $least)))
    (block $done
      (loop $fours
        (br_if $done (i32.ge_u (local.get $i) (local.get $count)))
        (local.set $at (i32.add (local.get $weights) (i32.shl (local.get $i) (i32.const 3))))
        (local.set $first (v128.load (local.get $at)))
        (local.set $second (v128.load offset=16 (local.get $at)))
        (local.set $firstMask
          (i64x2.bitmask (f64x2.ge (local.get $first) (local.get $least2))))
        (local.set $secondMask
          (i64x2.bitmask (f64x2.ge (local.get $second) (local.get $least2))))
        (local.set $passing (i32.or (local.get $firstMask)
          (i32.shl (local.get $secondMask) (i32.const 2))))
        (if (local.get $passing)
          (then
            (local.set $at (i32.add (local.get $weights)
              (i32.shl (local.get $size) (i32.const 3))))
            (v128.store (local.get $at) (i8x16.swizzle (local.get $first)
              (v128.load offset=768 (i32.shl (local.get $firstMask) (i32.const 4)))))
            (v128.store
              (i32.add (local.get $at)
                (i32.shl (i32.popcnt (local.get $firstMask)) (i32.const 3)))
              (i8x16.swizzle (local.get $second)
                (v128.load offset=768 (i32.shl (local.get $secondMask) (i32.const 4)))))
            (local.set $shuffle (v128.load offset=512
              (i32.shl (local.get $passing) (i32.const 4))))
            (local.set $at (i32.shl (local.get $size) (i32.const 2)))
            (v128.store (i32.add (local.get $ids) (local.get $at)) (i8x16.swizzle
              (v128.load (i32.add (local.get $ids) (i32.shl (local.get $i) (i32.const 2))))
              (local.get $shuffle)))
            (v128.store (i32.add (local.get $logits) (local.get $at)) (i8x16.swizzle
              (v128.load (i32.add (local.get $logits) (i32.shl (local.get $i) (i32.const 2))))
              (local.get $shuffle)))
            (local.set $size (i32.add (local.get $size) (i32.popcnt (local.get $passing))))
          )
        )
        (local.set $i (i32.add (local.get $i) (i32.const 4)))
        (br $fours)
      )
    )
    (local.get $size)
  )

  ;; Keeps the entries whose logit is above $cut, and those that equal it with an ID of at most
  ;; $lastId, in order; returns how many.
  (func (export "keepBest") (param $ids i32) (param $logits i32) (param $weights i32)
      (param $count i32) (param $cut f32) (param $lastId i32) (result i32)
    (local $i i32) (local $size i32) (local $passing i32) (local $at i32) (local $left i32)
    (local $cuts v128) (local $last4 v128) (local $four v128) (local $numbers v128)
    (local $first v128) (local $second v128) (local $shuffle v128)
    (local.set $cuts (f32x4.splat (local.get $cut)))
    (local.set $last4 (i32x4.splat (local.get $lastId)))
    (block $done
      (loop $fours
        (br_if $done (i32.ge_u (local.get $i) (local.get $count)))
        (local.set $at (i32.shl (local.get $i) (i32.const 2)))
        (local.set $four (v128.load (i32.add (local.get $logits) (local.get $at))))
        (local.set $numbers (v128.load (i32.add (local.get $ids) (local.get $at))))
        (local.set $passing (i32x4.bitmask (v128.or
          (f32x4.gt (local.get $four) (local.get $cuts))
          (v128.and
            (f32x4.eq (local.get $four) (local.get $cuts))
            (i32x4.le_s (local.get $numbers) (local.get $last4))))))
        (local.set $left (i32.sub (local.get $count) (local.get $i)))
        (if (i32.lt_u (local.get $left) (i32.const 4))
          (then
            (local.set $passing (i32.and (local.get $passing) (i32.sub
              (i32.shl (i32.const 1) (local.get $left)) (i32.const 1))))
          )
        )
        (if (local.get $passing)
          (then
            (local.set $at (i32.add (local.get $weights) (i32.shl (local.get $i) (i32.const 3))))
            (local.set $first (v128.load (local.get $at)))
            (local.set $second (v128.load offset=16 (local.get $at)))
            (local.set $at (i32.add (local.get $weights)
              (i32.shl (local.get $size) (i32.const 3))))
            (v128.store (local.get $at) (i8x16.swizzle (local.get $first)
              (v128.load offset=768 (i32.shl
                (i32.and (local.get $passing) (i32.const 3)) (i32.const 4)))))
            (v128.store
              (i32.add (local.get $at) (i32.shl
                (i32.popcnt (i32.and (local.get $passing) (i32.const 3))) (i32.const 3)))
              (i8x16.swizzle (local.get $second)
                (v128.load offset=768 (i32.shl
                  (i32.shr_u (local.get $passing) (i32.const 2)) (i32.const 4)))))
            (local.set $shuffle (v128.load offset=512
              (i32.shl (local.get $passing) (i32.const 4))))
            (local.set $at (i32.shl (local.get $size) (i32.const 2)))
            (v128.store (i32.add (local.get $ids) (local.get $at))
              (i8x16.swizzle (local.get $numbers) (local.get $shuffle)))
            (v128.store (i32.add (local.get $logits) (local.get $at))
              (i8x16.swizzle (local.get $four) (local.get $shuffle)))
            (local.set $size (i32.add (local.get $size) (i32.popcnt (local.get $passing))))
          )
        )
        (local.set $i (i32.add (local.get $i) (i32.const 4)))
        (br $fours)
      )
    )
    (local.get $size)
  )

  ;; Stores the lowest of $count values (four lanes of it) at $place and the highest behind it. Three
  ;; values behind the last one may count too, so they must be copies of some.
  (func (export "range") (param $logits i32) (param $count i32) (param $place i32)
    (local $end i32) (local $low v128) (local $high v128) (local $x v128)
    (local.set $end (i32.add (local.get $logits) (i32.shl (local.get $count) (i32.const 2))))
    (local.set $low (v128.load (local.get $logits)))
    (local.set $high (local.get $low))
    (block $done
      (loop $vectors
        (br_if $done (i32.ge_u (local.get $logits) (local.get $end)))
        (local.set $x (v128.load (local.get $logits)))
        (local.set $low (f32x4.pmin (local.get $low) (local.get $x)))
        (local.set $high (f32x4.pmax (local.get $high) (local.get $x)))
        (local.set $logits (i32.add (local.get $logits) (i32.const 16)))
        (br $vectors)
      )
    )
    (v128.store (local.get $place) (local.get $low))
    (v128.store offset=16 (local.get $place) (local.get $high))
  )

  ;; Adds each weight to the bin of its logit: bin number ($high - logit) * $scale, at most $lastBin.
  ;; A bin is four sums, one for each place in a group of four entries, so that neighbours in the same
  ;; bin need not wait for each other. The entries behind the last, up to the end of its four, have
  ;; weight 0 and a logit of at most $high.
  (func (export "fillBins") (param $logits i32) (param $weights i32) (param $count i32)
      (param $high f64) (param $scale f64) (param $lastBin i32) (param $bins i32)
    (local $end i32) (local $first v128) (local $second v128) (local $highs v128)
    (local $scales v128) (local $last v128) (local $bin i32)
    (local.set $end (i32.add (local.get $logits) (i32.shl (local.get $count) (i32.const 2))))
    (local.set $highs (f64x2.splat (local.get $high)))
    (local.set $scales (f64x2.splat (local.get $scale)))
    (local.set $last (i32x4.splat (local.get $lastBin)))
    (block $done
      (loop $fours
        (br_if $done (i32.ge_u (local.get $logits) (local.get $end)))
        (local.set $first (i32x4.min_s (local.get $last) (i32x4.trunc_sat_f64x2_s_zero
          (f64x2.mul (local.get $scales) (f64x2.sub (local.get $highs)
            (f64x2.promote_low_f32x4 (v128.load64_zero (local.get $logits))))))))
        (local.set $second (i32x4.min_s (local.get $last) (i32x4.trunc_sat_f64x2_s_zero
          (f64x2.mul (local.get $scales) (f64x2.sub (local.get $highs)
            (f64x2.promote_low_f32x4 (v128.load64_zero offset=8 (local.get $logits))))))))
        (local.set $bin (i32.add (local.get $bins)
          (i32.shl (i32x4.extract_lane 0 (local.get $first)) (i32.const 5))))
        (f64.store offset=0 (local.get $bin) (f64.add
          (f64.load offset=0 (local.get $bin)) (f64.load offset=0 (local.get $weights))))
        (local.set $bin (i32.add (local.get $bins)
          (i32.shl (i32x4.extract_lane 1 (local.get $first)) (i32.const 5))))
        (f64.store offset=8 (local.get $bin) (f64.add
          (f64.load offset=8 (local.get $bin)) (f64.load offset=8 (local.get $weights))))
        (local.set $bin (i32.add (local.get $bins)
          (i32.shl (i32x4.extract_lane 0 (local.get $second)) (i32.const 5))))
        (f64.store offset=16 (local.get $bin) (f64.add
          (f64.load offset=16 (local.get $bin)) (f64.load offset=16 (local.get $weights))))
        (local.set $bin (i32.add (local.get $bins)
          (i32.shl (i32x4.extract_lane 1 (local.get $second)) (i32.const 5))))
        (f64.store offset=24 (local.get $bin) (f64.add
          (f64.load offset=24 (local.get $bin)) (f64.load offset=24 (local.get $weights))))
        (local.set $logits (i32.add (local.get $logits) (i32.const 16)))
        (local.set $weights (i32.add (local.get $weights) (i32.const 32)))
        (br $fours)
      )
    )
  )

  ;; Copies the entries in bin $wanted to other arrays or to the front of the same; returns how many.
  ;; Bins as in fillBins.
  (func (export "takeBin") (param $ids i32) (param $logits i32) (param $weights i32)
      (param $count i32) (param $high f64) (param $scale f64) (param $lastBin i32)
      (param $wanted i32) (param $toIds i32) (param $toLogits i32) (param $toWeights i32)
      (result i32)
    (local $i i32) (local $size i32) (local $at i32) (local $left i32) (local $passing i32)
    (local $highs v128) (local $scales v128) (local $last v128) (local $wanted4 v128)
    (local $first v128) (local $second v128) (local $shuffle v128) (local $four v128)
    (local $numbers v128)
    (local.set $highs (f64x2.splat (local.get $high)))
    (local.set $scales (f64x2.splat (local.get $scale)))
    (local.set $last (i32x4.splat (local.get $lastBin)))
    (local.set $wanted4 (i32x4.splat (local.get $wanted)))
    (block $done
      (loop $fours
        (br_if $done (i32.ge_u (local.get $i) (local.get $count)))
        (local.set $at (i32.add (local.get $logits) (i32.shl (local.get $i) (i32.const 2))))
        (local.set $passing (i32.or
          (i32.and (i32.const 3) (i32x4.bitmask (i32x4.eq (local.get $wanted4)
            (i32x4.min_s (local.get $last) (i32x4.trunc_sat_f64x2_s_zero
              (f64x2.mul (local.get $scales) (f64x2.sub (local.get $highs)
                (f64x2.promote_low_f32x4 (v128.load64_zero (local.get $at))))))))))
          (i32.shl
            (i32.and (i32.const 3) (i32x4.bitmask (i32x4.eq (local.get $wanted4)
              (i32x4.min_s (local.get $last) (i32x4.trunc_sat_f64x2_s_zero
                (f64x2.mul (local.get $scales) (f64x2.sub (local.get $highs)
                  (f64x2.promote_low_f32x4 (v128.load64_zero offset=8 (local.get $at))))))))))
            (i32.const 2))))
        (local.set $left (i32.sub (local.get $count) (local.get $i)))
        (if (i32.lt_u (local.get $left) (i32.const 4))
          (then
            (local.set $passing (i32.and (local.get $passing) (i32.sub
              (i32.shl (i32.const 1) (local.get $left)) (i32.const 1))))
          )
        )
        (if (local.get $passing)
          (then
            (local.set $four (v128.load (local.get $at)))
            (local.set $numbers (v128.load
              (i32.add (local.get $ids) (i32.shl (local.get $i) (i32.const 2)))))
            (local.set $at (i32.add (local.get $weights) (i32.shl (local.get $i) (i32.const 3))))
            (local.set $first (v128.load (local.get $at)))
            (local.set $second (v128.load offset=16 (local.get $at)))
            (local.set $at (i32.add (local.get $toWeights)
              (i32.shl (local.get $size) (i32.const 3))))
            (v128.store (local.get $at) (i8x16.swizzle (local.get $first)
              (v128.load offset=768 (i32.shl
                (i32.and (local.get $passing) (i32.const 3)) (i32.const 4)))))
            (v128.store
              (i32.add (local.get $at) (i32.shl
                (i32.popcnt (i32.and (local.get $passing) (i32.const 3))) (i32.const 3)))
              (i8x16.swizzle (local.get $second)
                (v128.load offset=768 (i32.shl
                  (i32.shr_u (local.get $passing) (i32.const 2)) (i32.const 4)))))
            (local.set $shuffle (v128.load offset=512
              (i32.shl (local.get $passing) (i32.const 4))))
            (local.set $at (i32.shl (local.get $size) (i32.const 2)))
            (v128.store (i32.add (local.get $toIds) (local.get $at))
              (i8x16.swizzle (local.get $numbers) (local.get $shuffle)))
            (v128.store (i32.add (local.get $toLogits) (local.get $at))
              (i8x16.swizzle (local.get $four) (local.get $shuffle)))
            (local.set $size (i32.add (local.get $size) (i32.popcnt (local.get $passing))))
          )
        )
        (local.set $i (i32.add (local.get $i) (i32.const 4)))
        (br $fours)
      )
    )
    (local.get $size)
  )
)
