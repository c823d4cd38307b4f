// Package ltr learns to rank: it makes numbers of a query and a document, trains a model that orders documents by
// them, and runs such a model as the second stage of a search.
//
// Models are sums of regression trees. [LambdaMART] trains them; [ReadLightGBM] and [ReadXGBoost] read those that
// LightGBM and XGBoost have trained, and their scores are those of these programs. [Extractor] makes the
// features, [Dataset] keeps them with judgements, and [Ranker] is the second stage.
//
// It knows no index. Features are taken from the texts of hits, by an analyzer and with
// statistics that the caller passes in as functions.
//
// Where to look:
//
//	features.go what is known of a hit: scores, words, neighbours, likeness
//	ranker.go   a model as the second stage of a search
//	dataset.go  judged documents with features, and the form of SVMlight
//	train.go    LambdaMART
//	lambdas.go  what is wrong with an order; grow.go: a tree that mends it; bins.go: values as few numbers
//	model.go    what a model is: scores and where they come from
//	tree.go     how a tree is walked; quick.go: and how soonest
//	lightgbm.go models of LightGBM; lightgbm_write.go: and in its form
//	xgboost.go  models of XGBoost, as JSON
//	ubjson.go   and as UBJSON
//	errors.go   what can be wrong with a file
package ltr
