package main

func httpBenchmarks() []benchmark    { return nil }
func wakeBenchmarks() []benchmark    { return nil }
func processBenchmarks() []benchmark { return nil }
