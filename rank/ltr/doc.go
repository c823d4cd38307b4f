// Package ltr holds models that were learnt to rank: sums of regression trees, which score a document by
// numbers that describe it and a query.
//
// [ReadLightGBM] and [ReadXGBoost] read models that LightGBM and XGBoost have trained. Their scores are
// those of these programs.
//
// It knows no index.
//
// Where to look:
//
//	model.go    what a model is: scores and where they come from
//	tree.go     how a tree is walked; quick.go: and how soonest
//	lightgbm.go models of LightGBM
//	xgboost.go  models of XGBoost, as JSON
//	ubjson.go   and as UBJSON
//	errors.go   what can be wrong with a model
package ltr
