# Measures hnswlib over the vectors that TestSpeed has written: python compare.py FOLDER DIMS M EF_CONSTRUCTION.
import sys, time
import numpy, hnswlib

folder, dims, m, ef = sys.argv[1], int(sys.argv[2]), int(sys.argv[3]), int(sys.argv[4])
vectors = numpy.fromfile(folder + "/all", dtype="<f4").reshape(-1, dims)
queries = numpy.fromfile(folder + "/queries", dtype="<f4").reshape(-1, dims)
unit = lambda a: a / numpy.linalg.norm(a, axis=1, keepdims=True)
exact = numpy.argsort(-(unit(queries) @ unit(vectors).T), axis=1)[:, :10]

index = hnswlib.Index(space="cosine", dim=dims)
index.init_index(max_elements=len(vectors), M=m, ef_construction=ef, random_seed=1)
index.set_num_threads(1)
cpu, clock = time.process_time(), time.time()
index.add_items(vectors, num_threads=1)
print("built in %.1f s (%.1f s by the clock)" % (time.process_time() - cpu, time.time() - clock))
for ef in (50, 100, 200, 400):
    index.set_ef(ef)
    cpu, clock = time.process_time(), time.time()
    found, _ = index.knn_query(queries, k=10, num_threads=1)
    n = len(queries)
    cpu, clock = time.process_time() - cpu, time.time() - clock
    recall = sum(len(set(a) & set(b)) for a, b in zip(found, exact)) / exact.size
    print("ef %4d  %.0f µs (%.0f µs by the clock) a search, recall@10 %.4f" % (ef, 1e6 * cpu / n, 1e6 * clock / n, recall))
